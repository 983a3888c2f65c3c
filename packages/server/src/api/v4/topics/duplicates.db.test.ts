import { expect, test } from 'vitest'
import { startServer, type TestServer } from '../../../testing/server.ts'

async function withTopics(names: readonly string[]): Promise<TestServer> {
  const server = await startServer()
  for (const name of names) await server.admin.post('/topics', { name, title: name })
  return server
}

interface Listed {
  score: number
  reasons: string[]
  shared_projects_count: number
  topics: { name: string }[]
}

const shown = (body: Listed[]) => body.map(({ topics, reasons }) => [...topics.map(({ name }) => name).sort(), reasons])

test('probable duplicates are listed with the reasons, most probable first', async () => {
  const server = await withTopics([
    'machine-learning',
    'Machine Learning',
    'database',
    'databases',
    'react',
    'reactjs',
    'kubernetes',
    'kubernets',
    'python-2',
    'python-3',
    'go',
  ])
  const { body, headers } = await server.admin.get('/topics/duplicates')
  expect(shown(body)).toEqual([
    ['Machine Learning', 'machine-learning', ['case', 'separators']],
    ['database', 'databases', ['plural']],
    ['react', 'reactjs', ['js']],
    ['kubernetes', 'kubernets', ['spelling']],
  ])
  const scores = body.map(({ score }: Listed) => score)
  expect(scores).toEqual([...scores].sort((a, b) => b - a))
  expect(headers['x-total']).toBe('4')
  const second = await server.admin.get('/topics/duplicates?per_page=1&page=2')
  expect(second.body).toEqual([body[1]])
  expect(second.headers).toMatchObject({ 'x-next-page': '3', 'x-prev-page': '1' })
})

test('topics with mostly the same projects are probable duplicates', async () => {
  const server = await withTopics([])
  const tag = async (index: number, topics: string[]) => {
    const { id } = await server.project(`acme/p${index}`)
    await server.admin.put(`/projects/${id}`, { topics })
  }
  for (let index = 0; index < 5; index++) await tag(index, ['ml', 'learning', `own-word-${index}-x`])
  for (let index = 5; index < 10; index++) await tag(index, ['learning-of-others', 'something'])
  for (let index = 10; index < 14; index++) await tag(index, ['something'])
  const { body } = await server.admin.get('/topics/duplicates')
  expect(shown(body)).toEqual([['learning', 'ml', ['shared_projects']]])
  expect(body[0]).toMatchObject({ shared_projects_count: 5, topics: [{ total_projects_count: 5 }, {}] })
})

test('a merge removes its pair from the list at once', async () => {
  const server = await withTopics(['library', 'libraries'])
  const [{ topics }] = (await server.admin.get('/topics/duplicates')).body
  const [target, source] = topics
  await server.admin.post('/topics/merge', { source_topic_id: source.id, target_topic_id: target.id })
  expect((await server.admin.get('/topics/duplicates')).body).toEqual([])
})

test('the list of duplicates requires an administrator, because it reveals private projects', async () => {
  const server = await withTopics([])
  const someone = await server.user('someone')
  expect((await server.anonymous.get('/topics/duplicates')).status).toBe(401)
  expect((await someone.get('/topics/duplicates')).body).toEqual({ message: '403 Forbidden' })
  expect((await server.admin.get('/topics/duplicates?organization_id=99')).body).toEqual({
    message: '404 Organization Not Found',
  })
})
