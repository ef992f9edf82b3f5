#ifndef START_H
#define START_H

#include <stdint.h>

void print(const char *text);
void print_number(uint32_t n);
uint32_t ticks(void);
void program(void);

#endif
