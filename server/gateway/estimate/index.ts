export { type Calibration, calibrated, type Observation, startingCalibration } from './calibration.ts';
export { estimateBytes, estimateSlices, estimateText } from './estimate.ts';
export { inputTokens, type NextPrompt, outputTokens, promptTokens } from './prompt.ts';
