export const dateFormats = ['browser', 'iso', 'day_month', 'month_day'] as const
type DateFormat = (typeof dateFormats)[number]

export const densities = ['comfortable', 'compact'] as const
type Density = (typeof densities)[number]

/** How the UI shows dates, lists and keys to a user. */
export interface DisplaySettings {
  /** IANA name; null for the time zone of the browser. */
  timeZone: string | null
  dateFormat: DateFormat
  density: Density
  /** Whether single keys work on the whole page, or only in lists. */
  pageKeys: boolean
}

export const defaultDisplay: DisplaySettings = {
  timeZone: null,
  dateFormat: 'browser',
  density: 'comfortable',
  pageKeys: true,
}
