#pragma once

typedef struct sdmmc_host_t {
  int slot;
} sdmmc_host_t;
typedef struct sdspi_device_config_t {
  int host_id;
  int gpio_cs;
} sdspi_device_config_t;

#define SDSPI_HOST_DEFAULT() ((sdmmc_host_t){1})
#define SDSPI_DEVICE_CONFIG_DEFAULT() ((sdspi_device_config_t){0, -1})
