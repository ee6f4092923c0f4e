#pragma once

typedef struct FATFS {
  int unused;
} FATFS;
