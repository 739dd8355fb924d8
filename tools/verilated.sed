# What Verilator's configure would have put into verilated.mk for g++ on Debian.
s#^(AR) = .*#\1 = ar#
s#^(CXX|LINK) = .*#\1 = g++#
s#^(PERL) = .*#\1 = perl#
s#^(PYTHON3) = .*#\1 = python3#
s#^OBJCACHE \?=.*#OBJCACHE ?= ccache#
s#^(CFG_CXXFLAGS_STD_NEWEST) =.*#\1 = -std=gnu++20#
s#^(CFG_CXXFLAGS_COROUTINES) =.*#\1 = -fcoroutines#
s#^(CFG_CXXFLAGS_PCH_I) =.*#\1 = -include#
s#^(CFG_LDLIBS_THREADS) =.*#\1 = -pthread#
