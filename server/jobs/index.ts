export { type Housekeeping, type HousekeepingParts, startHousekeeping } from './housekeeping.ts';
export { type LearningParts, type LearningSwitches, learnWaiting } from './learning.ts';
export { type Learning, startLearning } from './start-learning.ts';
