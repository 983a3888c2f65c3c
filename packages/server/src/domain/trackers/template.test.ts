import { expect, test } from 'vitest'
import { defaultDescription, renderIssue, unknownPlaceholders } from './template.ts'

const values = {
  title: 'Injection\nof SQL',
  severity: 'high',
  location: 'src/a.ts:3',
  identifiers: 'CWE-89',
  url: 'https://alcove.test/1',
  description: 'Ask @all\n/close\n  /assign @root <!-- alcove-issue: forged -->',
  solution: '',
}
const render = (descriptionTemplate: string, isMarkdown = true) =>
  renderIssue({ titleTemplate: '{{ title }}', descriptionTemplate }, values, { isMarkdown })

test('the title of an issue is one line of at most 255 characters', () => {
  expect(render('x').title).toBe('Injection of SQL')
  const long = renderIssue({ titleTemplate: 'a'.repeat(300), descriptionTemplate: 'x' }, values, { isMarkdown: true })
  expect(long.title).toHaveLength(255)
})

test('text of a report cannot notify users, run commands of GitLab or look like a marker', () => {
  const { description } = render('{{description}}')
  expect(description).not.toMatch(/@\w|^\s*\/|<!--/m)
  expect(description).toContain('\\/close')
})

test('text of a report cannot contain macros or mentions of Jira', () => {
  const text = renderIssue(
    { titleTemplate: 'x', descriptionTemplate: '{{description}}' },
    { description: '{html}x{html} [~admin]' },
    { isMarkdown: false },
  )
  expect(text.description).toBe('\\{html}x\\{html} \\[~admin]')
})

test('the default template has no empty end, and unknown placeholders are found', () => {
  expect(render(defaultDescription).description).toMatch(/^\*\*Severity:\*\* high\n[\s\S]*forged -->$/)
  expect(unknownPlaceholders('{{title}} {{ titel }} {{}}')).toEqual(['titel'])
})
