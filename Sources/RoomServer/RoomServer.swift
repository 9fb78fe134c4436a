// RoomServer
