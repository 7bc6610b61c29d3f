// Two stations that both have sent for longer than the signal's delay would not have noticed
// expect: holds
A[] Station(1).transmit and Station(2).transmit imply Station(1).x < 52 or Station(2).x < 52
// A station can send a whole message
// expect: holds
E<> Station(1).transmit and Station(1).x == 808
// Collisions happen
// expect: holds
E<> Bus.collision
// Nothing gets stuck
// expect: holds
A[] not deadlock
// Who sends when there is a collision has sent for less than twice the delay
// expect: holds
A[] forall (i : id_t) (Bus.collision and Station(i).transmit imply Station(i).x < 2 * DELAY)
