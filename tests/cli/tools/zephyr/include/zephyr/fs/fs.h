/* Zephyr's files, in the folder that a program is begun in: "/SD:/name" is "name". */
#pragma once

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

enum { FS_FATFS = 1 };
enum { FS_O_READ = O_RDONLY, FS_O_RDWR = O_RDWR };
enum { FS_SEEK_SET = SEEK_SET, FS_SEEK_END = SEEK_END };

struct fs_mount_t {
  int type;
  const char* mnt_point;
  void* fs_data;
};
struct fs_file_t {
  int file;
};

static inline void fs_file_t_init(struct fs_file_t* zfp) {
  zfp->file = -1;
}
static inline int fs_mount(struct fs_mount_t* mp) {
  return mp->fs_data == NULL ? -1 : 0;
}
static inline int fs_open(struct fs_file_t* zfp, const char* name, int flags) {
  zfp->file = open(name + 5, flags);
  return zfp->file < 0 ? -1 : 0;
}
static inline int fs_seek(struct fs_file_t* zfp, off_t offset, int whence) {
  return lseek(zfp->file, offset, whence) < 0 ? -1 : 0;
}
static inline off_t fs_tell(struct fs_file_t* zfp) {
  return lseek(zfp->file, 0, SEEK_CUR);
}
static inline ssize_t fs_read(struct fs_file_t* zfp, void* into, size_t size) {
  return read(zfp->file, into, size);
}
static inline ssize_t fs_write(struct fs_file_t* zfp, const void* from, size_t size) {
  return write(zfp->file, from, size);
}
static inline int fs_sync(struct fs_file_t* zfp) {
  return fsync(zfp->file);
}
static inline int fs_truncate(struct fs_file_t* zfp, off_t length) {
  return ftruncate(zfp->file, length);
}
