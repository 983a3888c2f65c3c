import { Page, Panel } from '../../components/page.tsx'
import { Time } from '../../components/time.tsx'
import { TopicLinks } from '../explore/topic-links.tsx'
import { useProject } from './project.ts'

export function Overview() {
  const { project } = useProject()
  return (
    <Page title="Overview">
      <Panel title="About">
        {project.description ? <p>{project.description}</p> : <p className="muted">No description.</p>}
        <TopicLinks topics={project.topics} />
        <p className="muted small">
          Created <Time of={project.created_at} />
        </p>
      </Panel>
    </Page>
  )
}
