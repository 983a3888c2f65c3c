/** Adds to the data of `alcove demo` what some screens need. Returns the ids that the addresses of screens refer to. */
export async function addExtras(origin: string, token: string): Promise<Record<string, string>> {
  const call = caller(origin, token)
  const shop = await call('GET', '/groups/shop?with_projects=false')
  const storefront = await call('GET', '/projects/shop%2Fstorefront')
  const place = `/projects/${storefront.id}`
  const website = { name: 'Website', namespace_id: shop.id, visibility: 'public', topics: ['web'] }
  await call('POST', '/projects', { ...website, description: 'News and help.' })
  const wei = await addPeople(call, place)
  await call('PUT', `${place}/uploads/limits`, { quota_bytes: 4 * 1024 * 1024 })
  await addFindings(call, place)
  await addTopics(call)
  await call('POST', '/organizations', { name: 'Annex', path: 'annex', description: 'Projects of another company.' })
  const uploads = await addUploads(call, place)
  const [typescript] = await call('GET', '/topics?name=typescript')
  const [weakness] = await call('GET', `${place}/vulnerabilities?identifier=CWE-89`)
  const [finding] = await call('GET', `${place}/vulnerability_findings?has_vulnerability=false`)
  const exported = await call('POST', `/security${place}/vulnerability_exports`, { export_format: 'html' })
  const hooks = [await addHook(call, place, origin), await addHook(call, '/groups/shop', origin)]
  return {
    hook: String(hooks[0]),
    groupHook: String(hooks[1]),
    instanceHook: String(await addHook(call, '', origin)),
    invitation: await addInvitations(call, place),
    picture: String(uploads('architecture.png')),
    text: String(uploads('threat-model.md')),
    wei: String(wei),
    topic: String(typescript.id),
    vulnerability: String(weakness.id),
    finding: String(finding.id),
    report: String(exported.id),
  }
}

type Call = ReturnType<typeof caller>

/** Password of the user `wei`, whose own pages need a session that began with a password. */
export const password = 'correct horse battery'

/** Creates a user with tokens and projects of their own, and a blocked member. Returns the id of the first. */
async function addPeople(call: Call, place: string): Promise<number> {
  const [wei, amir] = [await addUser(call, 'wei', 'Wei'), await addUser(call, 'amir', 'Amir')]
  for (const [name, scopes] of [
    ['nightly import', ['api']],
    ['dashboard', ['read_api']],
  ]) {
    await call('POST', `/users/${wei}/personal_access_tokens`, { name, scopes })
  }
  for (const name of ['Notes', 'Sketches']) await call('POST', '/projects?sudo=wei', { name, visibility: 'public' })
  await call('PUT', `/users/${wei}`, { external: true })
  await call('POST', `${place}/members`, { user_id: amir, access_level: 30 })
  await call('POST', `/users/${amir}/block`)
  return wei
}

async function addUser(call: Call, username: string, name: string): Promise<number> {
  return (await call('POST', '/users', { username, name, email: `${username}@example.test`, password })).id
}

/** Invites people without an account. Returns the secret of the last link. */
async function addInvitations(call: Call, place: string): Promise<string> {
  await call('POST', `${place}/invitations`, { email: 'mira.lindqvist@example.test', access_level: 20 })
  const last = { email: 'sam@example.test', access_level: 30, expires_at: '2099-12-31', show_links: true }
  const { links } = await call('POST', `${place}/invitations`, last)
  return links[last.email].token
}

/** Uploads files and deletes two of them. Returns the function that finds the id of a file by name. */
async function addUploads(call: Call, place: string): Promise<(name: string) => number | undefined> {
  const own = [
    ['threat-model.md', '# Threat model\n\n- Browsers are untrusted.\n- The network between services is untrusted.\n'],
    ['prices.csv', 'article,price\n104,99.00\n'],
    ['draft.html', '<p>Draft</p>\n'],
    ['build.log', 'Tests passed.\n'],
  ] as const
  for (const [name, text] of own) await call('POST', `${place}/uploads`, formOf(name, text))
  const uploads: { id: number; filename: string }[] = await call('GET', `${place}/uploads?per_page=100`)
  const find = (name: string) => uploads.find(({ filename }) => filename === name)?.id
  for (const name of ['draft.html', 'build.log']) await call('DELETE', `${place}/uploads/${find(name)}`)
  return find
}

/** Imports findings that await triage, and a report of another branch. */
async function addFindings(call: Call, place: string): Promise<void> {
  const names = ['Path built from user input', 'Archive extracted to any folder', 'Weak hash for a password']
  const send = (scanner: string, ref: string, fields: object) => {
    const form = formOf('gl-sast-report.json', JSON.stringify(sastReport(scanner, names)))
    for (const [name, value] of Object.entries({ ref, ...fields })) form.append(name, value)
    return call('POST', `${place}/security_reports`, form)
  }
  await send('Fieldwatch', 'main', { promote: 'false' })
  await send('Codewatch', 'feature/prices', {})
}

function sastReport(scanner: string, names: readonly string[]): object {
  const tool = { id: scanner.toLowerCase(), name: scanner, version: '3.2.0', vendor: { name: 'Sample' } }
  const time = new Date().toISOString().slice(0, 19)
  const vulnerabilities = names.map((name, index) => ({
    ...{ id: `${index}`, name, description: name, severity: index === 0 ? 'Critical' : 'Medium' },
    location: { file: 'src/imports/reader.ts', start_line: 12 + 10 * index },
    identifiers: [{ type: 'cwe', name: `CWE-${22 + index}`, value: `${22 + index}` }],
  }))
  const scan = { analyzer: tool, scanner: tool, type: 'sast', status: 'success', start_time: time, end_time: time }
  return { version: '15.2.1', scan, vulnerabilities }
}

/** Creates a webhook of a project, of a group or, without a place, of the instance. */
async function addHook(call: Call, place: string, origin: string): Promise<number> {
  const fields = { url: `${origin}/-/not-there`, name: 'Team chat', vulnerability_events: true }
  const hook = await call('POST', `${place}/hooks`, fields)
  // The request is rejected, so that the delivery log shows a failure.
  await call('POST', `${place}/hooks/${hook.id}/test/vulnerability_events`).catch(() => {})
  return hook.id
}

/** Creates topics that are probably duplicates. */
async function addTopics(call: Call): Promise<void> {
  for (const [name, title] of [
    ['javascript', 'JavaScript'],
    ['java-script', 'Java Script'],
    ['data-visualisation', 'Data visualisation'],
    ['data-visualization', 'Data visualization'],
  ]) {
    await call('POST', '/topics', { name, title })
  }
}

function formOf(name: string, text: string): FormData {
  const form = new FormData()
  form.append('file', new Blob([text]), name)
  return form
}

function caller(origin: string, token: string) {
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  return async (method: string, path: string, body?: object): Promise<any> => {
    const isForm = body instanceof FormData
    const response = await fetch(`${origin}/api/v4${path}`, {
      method,
      headers: { 'PRIVATE-TOKEN': token, ...(body && !isForm && { 'Content-Type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.status === 204 ? undefined : response.json()
  }
}
