import Type from 'typebox'
import { type Route, route } from '../../../http/route.ts'
import { describeSettings } from '../../../platform/described-settings.ts'
import { nullableString } from '../views.ts'

const settingView = Type.Object(
  {
    variable: Type.String({ description: 'The environment variable that sets it' }),
    group: Type.String(),
    description: Type.String(),
    value: nullableString,
    default: nullableString,
    is_default: Type.Boolean(),
    is_secret: Type.Boolean({ description: 'Of a secret only whether it is set is told' }),
    is_set: Type.Boolean({ description: 'Whether it has a value' }),
  },
  { title: 'Setting' },
)

export const settingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/admin/settings',
    summary: 'List what the operator has set, without secrets',
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
