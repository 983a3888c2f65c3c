import Type from 'typebox'
import { type DisplaySettings, dateFormats, densities } from '../../../domain/users/display-setting.ts'
import { nullableString } from '../views.ts'

export const displaySettingsView = Type.Object(
  {
    time_zone: { ...nullableString, description: 'IANA name; null for the time zone of the browser' },
    date_format: Type.Enum([...dateFormats]),
    density: Type.Enum([...densities]),
    page_keys: Type.Boolean({ description: 'Whether keyboard shortcuts work on the whole page, or only in lists' }),
  },
  { title: 'DisplaySettings' },
)

export const viewDisplaySettings = ({ timeZone, dateFormat, density, pageKeys }: DisplaySettings) => ({
  time_zone: timeZone,
  date_format: dateFormat,
  density,
  page_keys: pageKeys,
})
