// As much of Arduino's core as a sketch here uses, on a PC.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

struct SerialPort {
  void begin(long) {}
  void print(const char* text) { std::fputs(text, stdout); }
  void print(unsigned long number) { std::printf("%lu", number); }
  void println(int number) { std::printf("%d\n", number); }
  void println(double number, int digits) { std::printf("%.*f\n", digits, number); }
};
inline SerialPort Serial;

// Only a program that stopped waits.
inline void delay(unsigned long) {
  std::exit(3);
}
