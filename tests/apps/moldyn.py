"""What apps/moldyn computes, by another hand: every pair in every step, numbers of Python held to the program's widths."""

SPACING, CLOSEST = 110, 65536 * 64 // 100


def signed(word: int) -> int:
    return (word + 2**31) % 2**32 - 2**31


def diameter_of(molecules: int) -> tuple[int, int]:
    """Molecules along an edge of the box, and a diameter in grains of 2^-15 of it."""
    side = next(s for s in range(1, 17) if s**3 >= molecules)
    return side, 2**15 * 100 // (SPACING * side)


def start(molecules: int) -> tuple[list[list[int]], list[list[int]]]:
    side, diameter = diameter_of(molecules)
    positions, velocities = [], []
    for number in range(molecules):
        place = number * 61 % side**3
        position, velocity = [], []
        for axis, cell in enumerate((place % side, place // side % side, place // side**2)):
            h = (number * 3 + axis) * 0x9E3779B1 % 2**32
            h = (h ^ h >> 15) * 0x2C1B3C6D % 2**32
            position.append((cell * 65536 + 28672 + (h >> 16 & 8191)) * 65536 // side)
            velocity.append(((h & 255) - 128) * 2 * diameter)
        positions.append(position)
        velocities.append(velocity)
    return positions, velocities


def strength(grains: int, diameter: int) -> int:
    """24 (2 r^-14 - r^-8) in 2^-20, of a distance squared."""
    square = max(grains * (2**48 // diameter**2) >> 32, CLOSEST)
    inverse = (2**32 - 1) // square << 8
    sixth = (inverse * inverse >> 24) * inverse >> 24
    return 24 * ((sixth * inverse >> 24) * (2 * sixth - 2**24) >> 28)


def force(molecules: int, distance: float) -> float:
    """Of a pair at a distance in diameters."""
    _, diameter = diameter_of(molecules)
    return strength(int((distance * diameter) ** 2), diameter) / 2**20 * distance


def answer(molecules: int, steps: int, cutoff: int) -> int:
    """Positions after the steps, in one word as the program prints them. Cutoff in hundredths of a diameter."""
    positions, velocities = start(molecules)
    _, diameter = diameter_of(molecules)
    for _ in range(steps):
        forces = [[0, 0, 0] for _ in positions]
        for i, a in enumerate(positions):
            for j in range(i + 1, molecules):
                apart = [signed(p - q) for p, q in zip(a, positions[j], strict=True)]
                grains = sum((x >> 17) ** 2 for x in apart)
                if grains >= (cutoff * diameter // 100) ** 2:
                    continue
                for axis, x in enumerate(apart):
                    pull = strength(grains, diameter) * x >> 38
                    forces[i][axis] += pull
                    forces[j][axis] -= pull
        for position, velocity, pulls in zip(positions, velocities, forces, strict=True):
            for axis, pull in enumerate(pulls):
                velocity[axis] += pull
                position[axis] = (position[axis] + velocity[axis]) % 2**32
    word = 0
    for position in positions:
        for x in position:
            word = (word ^ x) * 0x01000193 % 2**32
    return word
