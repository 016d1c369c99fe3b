export { decodeBody } from './decode.ts';
export { webRefusalElsewhere } from './elsewhere.ts';
export { type Guard, localGuard, openGuard } from './guard.ts';
export { createGateway, type Gateway, type GatewayOptions } from './handler.ts';
export { watchIncoming } from './incoming.ts';
export { createListener, type ListenerOptions } from './listener.ts';
export { createOwnerCheck, systemTables } from './owner.ts';
export { type Recorder, type RecorderState, startRecorder } from './record/recorder.ts';
export type { HeaderPairs, Tap, TappedAnswer, TappedRequest } from './tap.ts';
