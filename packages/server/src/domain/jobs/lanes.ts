/** Limits of a lane. */
export interface Lane {
  /** Maximum number of concurrent runs in one process. */
  concurrency: number
  /** Maximum number of concurrent runs for one owner in all processes. */
  perOwner: number
}

const alone = 'alone:'

/** Returns the lane for jobs that repeatedly ended their process. They run only while no other job of the lane does. */
export const laneAlone = (lane: string): string => (isAlone(lane) ? lane : `${alone}${lane}`)

export const isAlone = (lane: string): boolean => lane.startsWith(alone)

export const laneWithOthers = (lane: string): string => (isAlone(lane) ? lane.slice(alone.length) : lane)
