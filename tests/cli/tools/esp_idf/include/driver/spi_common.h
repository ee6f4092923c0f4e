/* As much of ESP-IDF as a program here uses, on a PC. */
#pragma once

typedef int esp_err_t;
enum { ESP_OK = 0, SDSPI_DEFAULT_DMA = 3 };

typedef struct spi_bus_config_t {
  int mosi_io_num;
  int miso_io_num;
  int sclk_io_num;
  int quadwp_io_num;
  int quadhd_io_num;
} spi_bus_config_t;

static inline esp_err_t spi_bus_initialize(int host, const spi_bus_config_t* bus, int dma) {
  return host == 1 && bus->quadwp_io_num == -1 && dma == SDSPI_DEFAULT_DMA ? ESP_OK : -1;
}
