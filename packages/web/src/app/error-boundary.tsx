import { Component, type ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { Empty } from '../components/page/states.tsx'

/** Shows an error message instead of a blank page when rendering fails or a code chunk cannot be fetched. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render() {
    if (!this.state.isBroken) return this.props.children
    return (
      <div role="alert">
        <Empty title="Something went wrong" isPage>
          <p>The page could not be displayed. Reload it, especially if Alcove was just updated.</p>
          <Button onClick={() => location.reload()}>Reload</Button>
        </Empty>
      </div>
    )
  }
}
