#include "elf.h"
#include <cstring>
#include <elf.h>
#include <fstream>
#include <sstream>
#include <stdexcept>

Elf::Elf(const std::string &path) : path_(path) {
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw std::runtime_error(path + " cannot be read");
    std::vector<char> file((std::istreambuf_iterator<char>(in)), {});
    auto at = [&](size_t offset, size_t bytes) {
        if (offset + bytes > file.size())
            throw std::runtime_error(path + " is cut short");
        return file.data() + offset;
    };
    Elf32_Ehdr head;
    std::memcpy(&head, at(0, sizeof head), sizeof head);
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS32 || head.e_machine != EM_RISCV)
        throw std::runtime_error(path + " is not a 32-bit RISC-V ELF file");
    for (int i = 0; i < head.e_phnum; i++) {
        Elf32_Phdr p;
        std::memcpy(&p, at(head.e_phoff + i * sizeof p, sizeof p), sizeof p);
        if (p.p_type != PT_LOAD || p.p_memsz == 0)
            continue;
        // What is stored elsewhere by the program itself (GLOBALS=shared) is loaded where the file says, without its zeros.
        Segment s{p.p_paddr, p.p_paddr == p.p_vaddr ? p.p_memsz : p.p_filesz, {}};
        const char *data = at(p.p_offset, p.p_filesz);
        s.data.assign(data, data + p.p_filesz);
        segments_.push_back(s);
    }
    for (int i = 0; i < head.e_shnum; i++) {
        Elf32_Shdr table, names;
        std::memcpy(&table, at(head.e_shoff + i * sizeof table, sizeof table), sizeof table);
        if (table.sh_type != SHT_SYMTAB)
            continue;
        std::memcpy(&names, at(head.e_shoff + table.sh_link * sizeof names, sizeof names), sizeof names);
        for (uint32_t offset = 0; offset < table.sh_size; offset += sizeof(Elf32_Sym)) {
            Elf32_Sym s;
            std::memcpy(&s, at(table.sh_offset + offset, sizeof s), sizeof s);
            std::string name = at(names.sh_offset + s.st_name, 1);
            if (name.empty())
                continue;
            symbols_[name] = s.st_value;
            if (ELF32_ST_TYPE(s.st_info) == STT_FUNC)
                functions_[s.st_value] = name;
        }
    }
}

uint32_t Elf::address(const std::string &symbol) const {
    auto found = symbols_.find(symbol);
    if (found == symbols_.end())
        throw std::runtime_error(path_ + " has no symbol " + symbol);
    return found->second;
}

std::string Elf::where(uint32_t pc) const {
    auto next = functions_.upper_bound(pc);
    if (next == functions_.begin())
        return "?";
    --next;
    std::ostringstream out;
    out << next->second << "+0x" << std::hex << pc - next->first;
    return out.str();
}
