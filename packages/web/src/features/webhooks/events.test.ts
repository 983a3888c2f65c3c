import { describe, expect, test } from 'vitest'
import { eventInWords, eventsOf } from './events.ts'

describe('events of a webhook', () => {
  test('include topics only in the instance', () => {
    const namesOf = (noun: 'project' | 'group' | 'instance') => eventsOf(noun).map(({ name }) => name)
    expect(namesOf('project')).not.toContain('topic_events')
    expect(namesOf('group')).toEqual(namesOf('project'))
    expect(namesOf('instance')).toEqual(expect.arrayContaining([...namesOf('project'), 'topic_events']))
    expect(namesOf('instance')).toHaveLength(7)
  })
})

describe('a delivery', () => {
  test('is named by its event', () => {
    const delivery = { trigger: 'security_report_hooks', request_data: { event_name: 'report_failed' } }
    expect(eventInWords(delivery)).toBe('Report failed')
  })

  test('of a vulnerability or of a message for a chat is named by its trigger', () => {
    expect(eventInWords({ trigger: 'vulnerability_hooks', request_data: { object_kind: 'vulnerability' } })).toBe(
      'Vulnerability',
    )
    expect(eventInWords({ trigger: 'topic_hooks', request_data: { text: '1 topic was created' } })).toBe('Topic')
  })

  test('of an unknown event keeps its trigger', () => {
    const delivery = { trigger: 'lunch_hooks', request_data: { event_name: 'constructor' } }
    expect(eventInWords(delivery)).toBe('lunch_hooks')
  })
})
