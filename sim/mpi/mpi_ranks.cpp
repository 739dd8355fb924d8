#include "mpi_ranks.h"
#include <algorithm>

MpiRanks::MpiRanks(int &argc, char **&argv) {
    MPI_Init(&argc, &argv);
    int number, count;
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    number_ = number;
    inbox_.resize(count, Bytes(MOST));
    requests_.resize(2 * count, MPI_REQUEST_NULL);
    statuses_.resize(2 * count);
}

MpiRanks::~MpiRanks() { MPI_Finalize(); }

void MpiRanks::exchange(const std::vector<Bytes> &to, std::vector<Bytes> &from) {
    for (unsigned rank = 0; rank < count(); rank++)
        if (rank != number_) {
            MPI_Irecv(inbox_[rank].data(), MOST, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &requests_[rank]);
            MPI_Isend(to[rank].data(), to[rank].size(), MPI_BYTE, rank, 0, MPI_COMM_WORLD, &requests_[count() + rank]);
        }
    MPI_Waitall(requests_.size(), requests_.data(), statuses_.data());
    for (unsigned rank = 0; rank < count(); rank++)
        if (rank != number_) {
            int size;
            MPI_Get_count(&statuses_[rank], MPI_BYTE, &size);
            from[rank].assign(inbox_[rank].begin(), inbox_[rank].begin() + size);
        }
}

void MpiRanks::add(std::vector<uint64_t> &values) {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), values.size(), MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

void MpiRanks::give(unsigned of, Bytes &data) {
    uint64_t size = data.size();
    MPI_Bcast(&size, 1, MPI_UINT64_T, of, MPI_COMM_WORLD);
    data.resize(size);
    for (size_t at = 0; at < size; at += PIECE)
        MPI_Bcast(&data[at], std::min<size_t>(PIECE, size - at), MPI_BYTE, of, MPI_COMM_WORLD);
}
