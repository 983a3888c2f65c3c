import Type from 'typebox'
import { dateFormats, densities, numberFormats, timeStyles } from '../../../domain/users/display-setting.ts'
import { changeDisplaySettings, getDisplaySettings } from '../../../domain/users/display-settings.ts'
import { flag, oneOf, optional, text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { displaySettingsView, viewDisplaySettings } from './views.ts'

const changeable = {
  time_zone: optional(text({ description: 'IANA name such as `Europe/Rome`; blank for the time zone of the browser' })),
  date_format: optional(
    oneOf(dateFormats, {
      description:
        'As the browser, `2026-01-31 13:05`, day before month with 24 hours, or month before day with 12 hours',
    }),
  ),
  density: optional(oneOf(densities, { description: 'Height of the rows of vulnerability lists' })),
  number_format: optional(
    oneOf(numberFormats, {
      description: 'As the browser, `1,234.5`, `1.234,5`, or `1 234,5`; also of sizes and percentages',
    }),
  ),
  times: optional(oneOf(timeStyles, { description: 'Ages such as `3 days ago`, or dates in `date_format`' })),
  page_keys: optional(flag({ description: 'Whether keyboard shortcuts work on the whole page, or only in lists' })),
}

export const displaySettingsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/user/display_settings',
    summary: 'Get how the UI shows dates, numbers, lists and keys to the current user',
    permission: 'display.read',
    status: 200,
    output: displaySettingsView,
    handle: async ({ deps, caller }) => viewDisplaySettings(await getDisplaySettings(deps, caller.user.id)),
  }),
  route({
    method: 'PUT',
    path: '/user/display_settings',
    summary: 'Choose how the UI shows dates, numbers, lists and keys to the current user',
    permission: 'display.manage',
    input: Type.Object(changeable, { atLeastOneOf: [Object.keys(changeable)] }),
    status: 200,
    output: displaySettingsView,
    handle: async ({ deps, caller, input }) =>
      viewDisplaySettings(
        await changeDisplaySettings(deps, caller.user.id, {
          timeZone: input.time_zone === '' ? null : input.time_zone,
          dateFormat: input.date_format,
          density: input.density,
          numberFormat: input.number_format,
          times: input.times,
          pageKeys: input.page_keys,
        }),
      ),
  }),
]
