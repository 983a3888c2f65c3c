import Type from 'typebox'
import { getHook, testHook } from '../../../domain/hooks/hooks.ts'
import { describeNewestVulnerability } from '../../../domain/vulnerabilities/triage/vulnerability-events.ts'
import { oneOf } from '../../../http/params/input.ts'
import { unprocessable } from '../../../platform/failure.ts'
import { firstEvents, groupEvents, otherEvents } from '../projects/gitlab-attributes.ts'
import { route } from '../route.ts'
import { baseOf, hookId, ownerOf, permissionsOf } from './place.ts'

/** Route that sends a test event of a project or group. */
export function testRouteOf(kind: 'project' | 'group') {
  return route({
    method: 'POST',
    path: `${baseOf(kind)}/:hook_id/test/:trigger`,
    summary: `Send a test event with the newest vulnerability of a ${kind}`,
    permission: permissionsOf[kind].manage,
    input: Type.Object({
      ...hookId,
      trigger: oneOf([
        ...firstEvents,
        ...otherEvents,
        ...(kind === 'group' ? groupEvents : []),
        'vulnerability_events',
      ]),
    }),
    status: 201,
    output: Type.Object({ message: Type.String() }),
    async handle(context) {
      const { deps, input } = context
      const owner = ownerOf(context)
      const hook = await getHook(deps, owner, input.hook_id)
      if (input.trigger !== 'vulnerability_events') throw unprocessable('only vulnerability_events happen here')
      const payload = await describeNewestVulnerability(deps, owner)
      if (!payload) throw unprocessable(`Ensure the ${kind} has vulnerabilities.`)
      await testHook(deps, hook, payload)
      return { message: '201 Created' }
    },
  })
}

/** What GitLab sends to test a system hook. */
const sample = {
  event_name: 'project_create',
  name: 'Ruby',
  path: 'ruby',
  project_id: 1,
  owner_name: 'Someone',
  owner_email: 'example@gitlabhq.com',
} as const

export const systemTestRoute = route({
  method: 'POST',
  path: `${baseOf('instance')}/:hook_id`,
  summary: 'Send a test event to a webhook of the instance',
  permission: permissionsOf.instance.manage,
  input: Type.Object(hookId),
  status: 201,
  output: Type.Object({
    event_name: Type.String(),
    name: Type.String(),
    path: Type.String(),
    project_id: Type.Integer(),
    owner_name: Type.String(),
    owner_email: Type.String(),
  }),
  async handle(context) {
    const { deps, input } = context
    await testHook(deps, await getHook(deps, ownerOf(context), input.hook_id), sample)
    return sample
  },
})
