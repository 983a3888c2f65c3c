import Type from 'typebox'
import type { Route } from '../../../http/route.ts'
import { describeSettings } from '../../../platform/settings/described-settings.ts'
import { route } from '../route.ts'
import { nullableString } from '../views.ts'

const settingView = Type.Object(
  {
    variable: Type.String({ description: 'Name of the environment variable' }),
    group: Type.String(),
    description: Type.String(),
    value: nullableString,
    default: nullableString,
    is_default: Type.Boolean(),
    is_secret: Type.Boolean({
      description: 'If true, the value is never returned; `is_set` shows whether there is one',
    }),
    is_set: Type.Boolean({ description: 'True if the setting has a value' }),
  },
  { title: 'Setting' },
)

export const settingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/admin/settings',
    summary: 'List the settings of the server, without secret values',
    permission: 'setting.read',
    status: 200,
    output: Type.Array(settingView),
    handle: async ({ deps }) =>
      describeSettings(deps.settings).map((setting) => ({
        variable: setting.variable,
        group: setting.group,
        description: setting.description,
        value: setting.value,
        default: setting.standard,
        is_default: setting.isStandard,
        is_secret: setting.isSecret,
        is_set: setting.isSet,
      })),
  }),
]
