export { type Housekeeping, type HousekeepingParts, startHousekeeping } from './housekeeping.ts';
