/** Clock of the demo, which can be moved to the past while its history is written. */
export interface DemoClock {
  now(): string
  /** Moves the clock to a time, from which it goes on. */
  moveTo(time: Date): void
  /** Returns to the real time. */
  reset(): void
}

export function openDemoClock(): DemoClock {
  let offsetMs = 0
  return {
    now: () => new Date(Date.now() + offsetMs).toISOString(),
    moveTo(time) {
      offsetMs = time.getTime() - Date.now()
    },
    reset() {
      offsetMs = 0
    },
  }
}
