// If a screen throws an error while it renders, shows the error in place of the screen and reports it. The user can still use the
// menu and the header.

import i18next from 'i18next';
import { Component, type ReactNode } from 'react';
import { reportError } from '@/api/report';
import { Button } from '@/ui/Button';
import { Notice } from '@/ui/Notice';

export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidCatch(error: Error) {
    reportError(error);
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <Notice icon="exclamation-triangle" title={i18next.t('ui.screenFailed')} text={this.state.error.message}>
        <Button label={i18next.t('ui.reload')} icon="refresh" onClick={() => location.reload()} />
      </Notice>
    );
  }
}
