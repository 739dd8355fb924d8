/** \file Ranks that mpirun started, and how they speak: MPI, in the main thread alone. */
#pragma once
#include "ranks.h"
#define OMPI_SKIP_MPICXX 1 // C alone
#include <mpi.h>

class MpiRanks : public Ranks {
public:
    MpiRanks(int &argc, char **&argv);
    /** All have come to their end. */
    ~MpiRanks() override;

    unsigned count() const override { return inbox_.size(); }
    unsigned number() const override { return number_; }
    void exchange(const std::vector<Bytes> &to, std::vector<Bytes> &from) override;
    void add(std::vector<uint64_t> &values) override;
    void give(unsigned of, Bytes &data) override;

private:
    /** Of one rank's message of one cycle: 64 sites tell less than 500 bytes each, and fewer than 200 links carry something. */
    enum : int { MOST = 1 << 16 };
    /** At once: a count of MPI is an int. */
    enum : size_t { PIECE = 1 << 30 };

    unsigned number_ = 0;
    std::vector<Bytes> inbox_;
    std::vector<MPI_Request> requests_;
    std::vector<MPI_Status> statuses_;
};
