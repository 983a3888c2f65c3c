import { expect, test } from 'vitest'
import { describeEvent } from './event-text.ts'

const event = {
  id: 1,
  author_id: 2,
  entity_id: 3,
  entity_type: 'Project' as const,
  event_name: 'project_updated',
  created_at: '2026-05-01T10:00:00.000Z',
  details: {
    author_name: 'Ada',
    author_username: 'ada',
    custom_message: 'Changed the project',
    target_details: 'acme/shop',
    entity_path: 'acme/shop',
    ip_address: '192.0.2.7',
    changes: {
      visibility: { from: 'private', to: 'public' },
      is_archived: { from: false, to: true },
      description: { from: null, to: 'A shop' },
      protected_refs: { from: [], to: ['release/*'] },
    },
    token: { id: 5, kind: 'personal' },
    sudo_by: { id: 1, username: 'root' },
  },
}

test('an event is described with its author, its target and its changed values', () => {
  expect(describeEvent(event)).toEqual({
    author: 'Ada',
    username: 'ada',
    action: 'Changed the project',
    target: 'acme/shop',
    link: '/acme/shop',
    address: '192.0.2.7',
    changes: [
      { name: 'Visibility', from: 'private', to: 'public' },
      { name: 'Is archived', from: 'no', to: 'yes' },
      { name: 'Description', from: 'nothing', to: 'A shop' },
      { name: 'Protected refs', from: '[]', to: '["release/*"]' },
    ],
    facts: [
      { label: 'Event', value: 'project_updated' },
      { label: 'Belongs to', value: 'Project acme/shop' },
      { label: 'Performed by', value: 'root, with sudo' },
      { label: 'Token', value: 'Personal 5' },
    ],
  })
})

test('what was deleted has no link, and neither has the instance', () => {
  expect(describeEvent({ ...event, event_name: 'project_destroyed' }).link).toBeUndefined()
  const ofInstance = describeEvent({ ...event, entity_type: 'Gitlab::Audit::InstanceScope' })
  expect(ofInstance.link).toBeUndefined()
  expect(ofInstance.facts).toContainEqual({ label: 'Belongs to', value: 'The instance' })
})

test('an event without details is described by its name', () => {
  expect(describeEvent({ ...event, event_name: 'topics_imported', details: {} })).toMatchObject({
    author: 'System',
    action: 'Topics imported',
    target: '',
    link: undefined,
    changes: [],
  })
})
