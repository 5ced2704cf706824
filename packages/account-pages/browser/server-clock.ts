import { createClock } from 'gatehouse/calls';

/** The clock of this device, compared with the server's at each answer. */
export const clock = createClock();

/** Converts a time of the server to one of this device, whose clock may be wrong. @param at Unix milliseconds. */
export const toDeviceTime = clock.toDevice;
