import { Panel } from '../../components/page/page.tsx'

/** Announces why a file was not imported. */
export function ImportFailed({ problem }: { problem: string }) {
  return (
    <div role="alert">
      <Panel title="Import failed">
        <p>{problem}</p>
      </Panel>
    </div>
  )
}
