import { type Api, digest } from './api.ts'
import { emptyState, type FindingState, type Ids, type ProjectState, type State } from './state.ts'

/** Reads all data of a writer from the server, including files, and completes the ids. */
export async function takeSnapshot(api: Api, writer: string, ids: Ids): Promise<State> {
  const state = emptyState()
  ids.clear()
  for (const topic of await api.list(`/topics?search=${writer}-`)) {
    ids.set(`topic ${topic.name}`, topic.id)
    const { title, description, avatar_url: avatarUrl } = topic
    const avatar = avatarUrl === null ? null : digest(await api.bytes(avatarUrl))
    state.topics[topic.name] = { title, description, avatar }
  }
  for (const project of await api.list(`/projects?search=${writer}-`)) {
    ids.set(`project ${project.path}`, project.id)
    state.projects[project.path] = {
      topics: project.topics,
      uploads: await readUploads(api, project, ids),
      findings: await readFindings(api, project, ids),
    }
  }
  return state
}

interface Named {
  id: number
  path: string
}

async function readUploads(api: Api, { id, path }: Named, ids: Ids): Promise<ProjectState['uploads']> {
  const uploads: ProjectState['uploads'] = {}
  const base = `/projects/${id}/uploads`
  for (const upload of await api.list(base)) {
    ids.set(`upload ${path} ${upload.filename}`, upload.id)
    const content = await api.bytes(`${base}/${upload.id}`)
    uploads[upload.filename] = { sha256: digest(content), bytes: upload.size, isDeleted: false }
  }
  for (const upload of await api.list(`${base}?deleted=true&with_details=true`)) {
    ids.set(`upload ${path} ${upload.filename}`, upload.id)
    uploads[upload.filename] = { sha256: upload.sha256, bytes: upload.size, isDeleted: true }
  }
  return uploads
}

async function readFindings(api: Api, { id, path }: Named, ids: Ids): Promise<ProjectState['findings']> {
  const findings: Record<string, FindingState> = {}
  for (const finding of await api.list(`/projects/${id}/vulnerability_findings`)) {
    ids.set(`finding ${path} ${finding.name}`, finding.id)
    const isPromoted = finding.vulnerability_id !== null
    findings[finding.name] = { severity: finding.severity, isPresent: true, isPromoted }
  }
  for (const vulnerability of await api.list(`/projects/${id}/vulnerabilities`)) {
    const { title, severity, resolved_on_default_branch: isGone, finding } = vulnerability
    const listed = findings[title]
    // If both lists disagree, the state differs from every acknowledged one.
    const agree = listed ? listed.isPromoted && !isGone && listed.severity === severity : isGone
    findings[title] = {
      severity: agree && finding.name === title ? severity : 'torn',
      isPresent: !isGone,
      isPromoted: true,
    }
  }
  return findings
}
