/* Two processes over MPI: messages short and long, in both directions at once, a sum of all; what came is looked at. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGEST = 3000 };

int main(int argc, char **argv)
{
    static unsigned char sent[LONGEST], came[LONGEST];
    int rank, ranks, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int bytes = 1; bytes <= LONGEST; bytes *= 14) {
        MPI_Request both[2];

        for (int i = 0; i < bytes; i++) sent[i] = i * 3 + rank;
        MPI_Irecv(came, bytes, MPI_BYTE, !rank, bytes, MPI_COMM_WORLD, &both[0]);
        MPI_Isend(sent, bytes, MPI_BYTE, !rank, bytes, MPI_COMM_WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        for (int i = 0; i < bytes; i++)
            if (came[i] != (unsigned char)(i * 3 + !rank)) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Allreduce(&(int){rank + 1}, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!rank) printf("ranks %d sum %d\n", ranks, sum);
    MPI_Finalize();
    return 0;
}
