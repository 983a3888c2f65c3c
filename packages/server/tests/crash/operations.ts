import { entry, sastReport } from '../../src/testing/reports/reports.ts'
import { type Api, digest } from './api.ts'
import type { Ids, ProjectState, State } from './state.ts'

/** A request that changes data. */
export interface Operation {
  what: string
  /** Sends the request and records the ids in the response. */
  send(api: Api, ids: Ids): Promise<void>
  /** Applies the whole change to the expected state of the writer. */
  apply(state: State): void
}

/** Random choices of operations. */
export interface Chance {
  /** Returns an integer from 0 up to, but not including, the limit. */
  whole(limit: number): number
  bytes(length: number): Buffer
}

export const sharedTopics = ['common one', 'common two', 'common three']

/** Returns a random operation that the writer can execute now. Names are never reused. */
export function nextOperation(writer: string, serial: number, state: State, chance: Chance): Operation {
  const topics = Object.keys(state.topics)
  const projects = Object.keys(state.projects)
  const name = `${writer}-${serial}`
  const [topic, other] = [pick(topics, chance), pick(topics, chance)]
  const path = pick(projects, chance)
  const choice = chance.whole(20)
  if (!path || (choice === 0 && projects.length < 3)) return createProject(name, topics, chance)
  if (!topic || (choice <= 2 && topics.length < 12)) return createTopic(name, chance)
  if (choice <= 4) return updateTopic(topic, serial, chance)
  if (choice === 5) return deleteTopic(topic)
  if (choice === 6 && other && other !== topic) return mergeTopics(topic, other)
  if (choice <= 8) return setTopics(path, [...topics, name], chance)
  if (choice === 9 && projects.length > 2) return deleteProject(path)

  const { uploads, findings } = state.projects[path] as ProjectState // picked from its keys
  const upload = pick(Object.keys(uploads), chance)
  if (upload && (choice <= 12 || Object.keys(uploads).length > 8)) {
    return uploads[upload]?.isDeleted ? restoreUpload(path, upload) : deleteUpload(path, upload)
  }
  if (choice <= 15) return createUpload(path, `${name}.bin`, chance)
  const open = Object.keys(findings).filter((finding) => !findings[finding]?.isPromoted)
  const finding = pick(open, chance)
  return choice <= 17 && finding ? promoteFinding(path, finding) : sendReport(path, chance)
}

function pick(names: readonly string[], chance: Chance): string | undefined {
  return names[chance.whole(Math.max(1, names.length))]
}

const idOf = (ids: Ids, key: string): number => {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`${key} was never acknowledged`)
  return id
}

function createTopic(name: string, chance: Chance): Operation {
  const avatar = chance.whole(2) === 0 ? picture(chance) : null
  const texts = { title: `Title of ${name}`, description: `Description ${chance.whole(1000)}` }
  return {
    what: `create topic ${name}`,
    async send(api, ids) {
      const { id } = await api.send(
        'POST',
        '/topics',
        avatar ? form({ name, ...texts }, 'avatar', avatar) : { name, ...texts },
      )
      ids.set(`topic ${name}`, id)
    },
    apply({ topics }) {
      topics[name] = { ...texts, avatar: avatar && digest(avatar) }
    },
  }
}

function updateTopic(name: string, serial: number, chance: Chance): Operation {
  const title = `Title of ${name}, version ${serial}`
  const kind = chance.whole(3)
  const avatar = kind === 0 ? picture(chance) : null
  return {
    what: `update topic ${name}`,
    async send(api, ids) {
      const body = avatar ? form({ title }, 'avatar', avatar) : kind === 1 ? { title, avatar: '' } : { title }
      await api.send('PUT', `/topics/${await topicId(api, ids, name)}`, body)
    },
    apply({ topics }) {
      const topic = topics[name]
      if (topic) topics[name] = { ...topic, title, avatar: kind === 2 ? topic.avatar : avatar && digest(avatar) }
    },
  }
}

function deleteTopic(name: string): Operation {
  return {
    what: `delete topic ${name}`,
    send: async (api, ids) => void (await api.send('DELETE', `/topics/${await topicId(api, ids, name)}`)),
    apply(state) {
      delete state.topics[name]
      for (const project of Object.values(state.projects))
        project.topics = project.topics.filter((each) => each !== name)
    },
  }
}

function mergeTopics(source: string, target: string): Operation {
  return {
    what: `merge topic ${source} into ${target}`,
    async send(api, ids) {
      const [from, to] = [await topicId(api, ids, source), await topicId(api, ids, target)]
      await api.send('POST', '/topics/merge', { source_topic_id: from, target_topic_id: to })
    },
    apply(state) {
      delete state.topics[source]
      for (const project of Object.values(state.projects)) {
        project.topics = [...new Set(project.topics.map((each) => (each === source ? target : each)))]
      }
    },
  }
}

function createProject(path: string, known: readonly string[], chance: Chance): Operation {
  const topics = someTopics([...known, `${path} topic`], chance)
  const visibility = chance.whole(2) === 0 ? 'private' : 'public'
  return {
    what: `create project ${path}`,
    async send(api, ids) {
      // Reports are applied as a whole: no absences are held.
      const fields = { name: path, path, topics, visibility, max_absent_percent: null }
      const { id } = await api.send('POST', '/projects', fields)
      ids.set(`project ${path}`, id)
    },
    apply(state) {
      addTopics(state, topics)
      state.projects[path] = { topics, uploads: {}, findings: {} }
    },
  }
}

function setTopics(path: string, known: readonly string[], chance: Chance): Operation {
  const topics = someTopics(known, chance)
  return {
    what: `set topics of ${path}`,
    send: async (api, ids) => void (await api.send('PUT', `/projects/${idOf(ids, `project ${path}`)}`, { topics })),
    apply(state) {
      addTopics(state, topics)
      const project = state.projects[path]
      if (project) project.topics = topics
    },
  }
}

/** Looks up the id of a topic, because assigning topics to a project does not return their ids. */
async function topicId(api: Api, ids: Ids, name: string): Promise<number> {
  const key = `topic ${name}`
  if (!ids.has(key)) {
    for (const topic of await api.list(`/topics?search=${encodeURIComponent(name)}`))
      ids.set(`topic ${topic.name}`, topic.id)
  }
  return idOf(ids, key)
}

function addTopics(state: State, names: readonly string[]): void {
  for (const name of names) {
    if (!sharedTopics.includes(name)) state.topics[name] ??= { title: name, description: null, avatar: null }
  }
}

function someTopics(known: readonly string[], chance: Chance): string[] {
  return [...known, ...sharedTopics].filter(() => chance.whole(3) === 0)
}

function deleteProject(path: string): Operation {
  return {
    what: `delete project ${path}`,
    send: async (api, ids) => void (await api.send('DELETE', `/projects/${idOf(ids, `project ${path}`)}`)),
    apply: ({ projects }) => void delete projects[path],
  }
}

function createUpload(path: string, filename: string, chance: Chance): Operation {
  const sizes = [0, 1, 4096, 70_000, 300_000, 2_000_000]
  const content = chance.bytes(chance.whole((sizes[chance.whole(sizes.length)] ?? 0) + 1))
  return {
    what: `upload ${filename} of ${content.length} bytes to ${path}`,
    async send(api, ids) {
      const to = `/projects/${idOf(ids, `project ${path}`)}/uploads`
      const { id } = await api.send('POST', to, form({}, 'file', content, filename))
      ids.set(`upload ${path} ${filename}`, id)
    },
    apply({ projects }) {
      const uploads = projects[path]?.uploads
      if (uploads) uploads[filename] = { sha256: digest(content), bytes: content.length, isDeleted: false }
    },
  }
}

const deleteUpload = (path: string, filename: string) => setDeleted(path, filename, true)
const restoreUpload = (path: string, filename: string) => setDeleted(path, filename, false)

function setDeleted(path: string, filename: string, isDeleted: boolean): Operation {
  return {
    what: `${isDeleted ? 'delete' : 'restore'} upload ${filename} of ${path}`,
    async send(api, ids) {
      const upload = idOf(ids, `upload ${path} ${filename}`)
      const address = `/projects/${idOf(ids, `project ${path}`)}/uploads/${upload}`
      await (isDeleted ? api.send('DELETE', address) : api.send('POST', `${address}/restore`))
    },
    apply({ projects }) {
      const upload = projects[path]?.uploads[filename]
      if (upload) upload.isDeleted = isDeleted
    },
  }
}

/** Returns a size that sometimes needs several batches. */
function sendReport(path: string, chance: Chance): Operation {
  const most = chance.whole(6) === 0 ? 1200 : 15
  const severity = ['Low', 'Medium', 'High', 'Critical'][chance.whole(4)] ?? 'Low'
  const lines = Array.from({ length: most }, (_, line) => line + 1).filter(() => chance.whole(3) > 0)
  const promote = chance.whole(2) === 0
  const report = sastReport(lines.map((line) => entry({ line, severity, name: `Flaw ${line}`, rule: `r${line}` })))
  return {
    what: `send a report of ${lines.length} findings to ${path}`,
    async send(api, ids) {
      const to = `/projects/${idOf(ids, `project ${path}`)}/security_reports`
      await api.send(
        'POST',
        to,
        form({ promote: String(promote) }, 'file', Buffer.from(JSON.stringify(report)), 'r.json'),
      )
    },
    apply({ projects }) {
      const project = projects[path]
      if (!project) return
      const gone = Object.entries(project.findings).flatMap(([name, finding]) =>
        finding.isPromoted ? [[name, { ...finding, isPresent: false }] as const] : [],
      )
      const seen = lines.map((line) => {
        const isPromoted = promote || project.findings[`Flaw ${line}`]?.isPromoted === true
        return [`Flaw ${line}`, { severity: severity.toLowerCase(), isPresent: true, isPromoted }] as const
      })
      project.findings = Object.fromEntries([...gone, ...seen])
    },
  }
}

function promoteFinding(path: string, name: string): Operation {
  return {
    what: `promote ${name} of ${path}`,
    async send(api, ids) {
      const project = idOf(ids, `project ${path}`)
      if (!ids.has(`finding ${path} ${name}`)) {
        for (const finding of await api.list(`/projects/${project}/vulnerability_findings`)) {
          ids.set(`finding ${path} ${finding.name}`, finding.id)
        }
      }
      await api.send('POST', `/projects/${project}/vulnerabilities`, {
        finding_id: idOf(ids, `finding ${path} ${name}`),
      })
    },
    apply({ projects }) {
      const finding = projects[path]?.findings[name]
      if (finding) finding.isPromoted = true
    },
  }
}

function picture(chance: Chance): Buffer {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  return Buffer.concat([head, chance.bytes(chance.whole(60_000))])
}

function form(fields: Record<string, string>, name: string, content: Buffer, filename = 'picture.png'): FormData {
  const data = new FormData()
  for (const [field, value] of Object.entries(fields)) data.append(field, value)
  data.append(name, new Blob([new Uint8Array(content)]), filename)
  return data
}
