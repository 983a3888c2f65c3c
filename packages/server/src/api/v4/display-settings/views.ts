import Type from 'typebox'
import {
  type DisplaySettings,
  dateFormats,
  densities,
  numberFormats,
  timeStyles,
} from '../../../domain/users/display-setting.ts'
import { nullableString } from '../views.ts'

export const displaySettingsView = Type.Object(
  {
    time_zone: { ...nullableString, description: 'IANA name; null for the time zone of the browser' },
    date_format: Type.Enum([...dateFormats]),
    density: Type.Enum([...densities]),
    page_keys: Type.Boolean({ description: 'Whether keyboard shortcuts work on the whole page, or only in lists' }),
    number_format: Type.Enum([...numberFormats], {
      description: 'Separator of thousands; that of decimals is a point with `comma`, and else a comma',
    }),
    times: Type.Enum([...timeStyles], { description: 'Ages such as `3 days ago`, or dates' }),
  },
  { title: 'DisplaySettings' },
)

export const viewDisplaySettings = ({
  timeZone,
  dateFormat,
  numberFormat,
  times,
  density,
  pageKeys,
}: DisplaySettings) => ({
  time_zone: timeZone,
  date_format: dateFormat,
  density,
  page_keys: pageKeys,
  number_format: numberFormat,
  times,
})
