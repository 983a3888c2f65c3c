import Type from 'typebox'
import type { HookOwner } from '../../../domain/hooks/hook.ts'
import { getHook, testHook } from '../../../domain/hooks/hooks.ts'
import { oneOf } from '../../../http/params/input.ts'
import { firstEvents, groupEvents, otherEvents } from '../projects/gitlab-attributes.ts'
import { route } from '../route.ts'
import { baseOf, hookId, ownerOf, permissionsOf, placeNames } from './place.ts'
import { sampleEvent, testableTriggers } from './sample-events.ts'

/** Triggers of GitLab. Those that never occur here are valid, but cannot be tested. */
const gitlabTriggers = {
  project: [...firstEvents, ...otherEvents],
  group: [...firstEvents, ...otherEvents, ...groupEvents],
  instance: [],
} as const

/** Route that sends a test event of one kind. */
export function testRouteOf(kind: HookOwner['kind']) {
  const triggers = [...new Set([...gitlabTriggers[kind], ...testableTriggers(kind)])]
  return route({
    method: 'POST',
    path: `${baseOf(kind)}/:hook_id/test/:trigger`,
    summary: `Send a test event to a webhook of ${placeNames[kind]}: its newest vulnerability, or a sample of another event`,
    permission: permissionsOf[kind].manage,
    input: Type.Object({
      ...hookId,
      trigger: oneOf(triggers, { description: 'Event to send. Events of GitLab that do not occur here are refused' }),
    }),
    status: 201,
    output: Type.Object({ message: Type.String() }),
    async handle(context) {
      const { deps, input } = context
      const owner = ownerOf(context)
      const hook = await getHook(deps, owner, input.hook_id)
      await testHook(deps, hook, await sampleEvent(deps, owner, input.trigger))
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
