import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What the process counts. One per process; served at `/metrics`. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: Counter<'door' | 'status'>;
  readonly refusals: Counter<'door' | 'reason'>;
  readonly notArchived: Counter<'reason'>;
  readonly faults: Counter<'where'>;
  readonly streams: Gauge<'door'>;
  readonly recordQueueBytes: Gauge;
  readonly diskFreeBytes: Gauge;
  readonly expiredSessions: Counter;
  readonly turns: Counter<'became'>;
  readonly firstByteSeconds: Histogram<'door'>;
  readonly loopDelaySeconds: Histogram<'thread'>;
}

/** Makes the counters of a process on a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Counter({
      name: 'context_mode_requests_total',
      help: 'Requests answered through a door, by status class.',
      labelNames: ['door', 'status'],
      registers,
    }),
    refusals: new Counter({
      name: 'context_mode_refusals_total',
      help: 'Requests that the gateway itself refused, by reason.',
      labelNames: ['door', 'reason'],
      registers,
    }),
    notArchived: new Counter({
      name: 'context_mode_not_archived_total',
      help: 'Requests that passed but could not be archived, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    faults: new Counter({
      name: 'context_mode_faults_total',
      help: 'Faults of the gateway that an agent did not notice, by where they happened.',
      labelNames: ['where'],
      registers,
    }),
    streams: new Gauge({
      name: 'context_mode_streams',
      help: 'Answers on their way to a client at this moment.',
      labelNames: ['door'],
      registers,
    }),
    recordQueueBytes: new Gauge({
      name: 'context_mode_record_queue_bytes',
      help: 'Bytes of requests and answers that wait to be archived.',
      registers,
    }),
    diskFreeBytes: new Gauge({
      name: 'context_mode_disk_free_bytes',
      help: 'Free bytes where the archive lies, as they were read last.',
      registers,
    }),
    expiredSessions: new Counter({
      name: 'context_mode_expired_sessions_total',
      help: 'Sessions that were deleted because they were older than they are kept.',
      registers,
    }),
    turns: new Counter({
      name: 'context_mode_turns_total',
      help: 'Turns that memory looked at: read, skipped because nobody typed in them, or failed.',
      labelNames: ['became'],
      registers,
    }),
    firstByteSeconds: new Histogram({
      name: 'context_mode_first_byte_seconds',
      help: "From a request's last byte in to the answer's first byte out.",
      labelNames: ['door'],
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100],
      registers,
    }),
    loopDelaySeconds: new Histogram({
      name: 'context_mode_loop_delay_seconds',
      help: 'The longest wait in each second of a thread for its event loop; gateway and recorder.',
      labelNames: ['thread'],
      buckets: [0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 3, 10],
      registers,
    }),
  };
}
