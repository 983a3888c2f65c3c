export const dateFormats = ['browser', 'iso', 'day_month', 'month_day'] as const
type DateFormat = (typeof dateFormats)[number]

/** Separator of thousands; that of decimals is a point with `comma`, and else a comma. */
export const numberFormats = ['browser', 'comma', 'point', 'space'] as const
type NumberFormat = (typeof numberFormats)[number]

/** Ages such as “3 days ago”, or dates. */
export const timeStyles = ['relative', 'absolute'] as const
type TimeStyle = (typeof timeStyles)[number]

export const densities = ['comfortable', 'compact'] as const
type Density = (typeof densities)[number]

/** How the UI shows dates, lists and keys to a user. */
export interface DisplaySettings {
  /** IANA name; null for the time zone of the browser. */
  timeZone: string | null
  dateFormat: DateFormat
  numberFormat: NumberFormat
  times: TimeStyle
  density: Density
  /** Whether single keys work on the whole page, or only in lists. */
  pageKeys: boolean
}

export const defaultDisplay: DisplaySettings = {
  timeZone: null,
  dateFormat: 'browser',
  numberFormat: 'browser',
  times: 'relative',
  density: 'comfortable',
  pageKeys: true,
}
