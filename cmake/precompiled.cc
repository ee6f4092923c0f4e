// Nothing: the precompiled header of the rooms is made for this file (cmake/room.cmake).
