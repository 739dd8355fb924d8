#include "network.h"
#include "VFatTree.h"

struct Network::Pins {
    uint8_t *fromValid, *fromLast, *fromVc, *fromCredit, *toValid, *toLast, *toVc, *toCredit;
    uint64_t *fromData, *toData;
};

Network::Network(VerilatedContext *context, unsigned sites) : model_(new VFatTree(context, "network")), pins_(new std::vector<Pins>) {
    VFatTree &m = *model_;
    (void)sites;
#define SITE(i)                                                                                                                 \
    pins_->push_back({&m.io_fromSite_##i##_flit_valid, &m.io_fromSite_##i##_flit_payload_last, &m.io_fromSite_##i##_flit_payload_vc, \
                      &m.io_fromSite_##i##_credit, &m.io_toSite_##i##_flit_valid, &m.io_toSite_##i##_flit_payload_last,           \
                      &m.io_toSite_##i##_flit_payload_vc, &m.io_toSite_##i##_credit, &m.io_fromSite_##i##_flit_payload_data,      \
                      &m.io_toSite_##i##_flit_payload_data});
#include "network_sites.inc"
#undef SITE
}

Network::~Network() = default;

void Network::before(std::vector<std::unique_ptr<Site>> &sites) {
    for (size_t i = 0; i < sites.size(); i++) {
        VSite &s = *sites[i]->model;
        Pins &p = (*pins_)[i];
        if ((*p.fromValid = s.io_link_out_flit_valid)) {
            *p.fromData = s.io_link_out_flit_payload_data;
            *p.fromLast = s.io_link_out_flit_payload_last;
            *p.fromVc = s.io_link_out_flit_payload_vc;
            flits++;
        }
        s.io_link_out_credit = *p.fromCredit;
        if ((s.io_link_in_flit_valid = *p.toValid)) {
            s.io_link_in_flit_payload_data = *p.toData;
            s.io_link_in_flit_payload_last = *p.toLast;
            s.io_link_in_flit_payload_vc = *p.toVc;
        }
        *p.toCredit = s.io_link_in_credit;
    }
}

void Network::edge() {
    model_->clk = 1;
    model_->eval();
}

void Network::after() {
    model_->clk = 0;
    model_->eval();
}
