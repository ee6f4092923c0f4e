/* As much of Zephyr as a program here uses, on a PC. */
#pragma once

#include <stdio.h>
#include <sys/types.h>

#define printk printf
