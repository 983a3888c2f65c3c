/** How many jobs of a lane run at the same time. */
export interface Lane {
  /** In one process. */
  concurrency: number
  /** Of one owner, in all processes together. */
  perOwner: number
}

const alone = 'alone:'

/** The lane of jobs that end their process again and again: each runs when no other job of the lane does. */
export const laneAlone = (lane: string): string => (isAlone(lane) ? lane : `${alone}${lane}`)

export const isAlone = (lane: string): boolean => lane.startsWith(alone)

export const laneWithOthers = (lane: string): string => (isAlone(lane) ? lane.slice(alone.length) : lane)
