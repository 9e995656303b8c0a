/* Passkeys (WebAuthn Level 3). Pages work without this; it only shows and serves the buttons that need it. */
'use strict';

(() => {
  const isIp = /^[\d.]+$|^\[/.test(location.hostname);
  const known = window.PublicKeyCredential;
  if (isIp || !known || !known.parseRequestOptionsFromJSON || !known.parseCreationOptionsFromJSON) return;

  const SIGN_IN = {
    options: '/auth/passkey/generate-authenticate-options',
    verify: '/auth/passkey/verify-authentication',
    ask: (json) => navigator.credentials.get({ publicKey: known.parseRequestOptionsFromJSON(json) }),
    failed: 'No passkey of this device opened an account here.',
  };
  const ADD = {
    options: '/auth/passkey/generate-register-options',
    verify: '/auth/passkey/verify-registration',
    ask: (json) => navigator.credentials.create({ publicKey: known.parseCreationOptionsFromJSON(json) }),
    failed: 'The passkey could not be added. Sign in again and repeat it.',
  };

  async function answered(response) {
    if (response.ok) return response.json();
    throw new Error(response.status === 429 ? 'Too many attempts; wait a minute.' : '');
  }

  async function perform(ceremony, name) {
    const options = await fetch(ceremony.options, { credentials: 'same-origin' }).then(answered);
    const credential = await ceremony.ask(options);
    const body = { response: credential.toJSON(), ...(name ? { name } : {}) };
    await fetch(ceremony.verify, {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then(answered);
  }

  for (const part of document.querySelectorAll('[data-passkey]')) {
    const ceremony = part.dataset.passkey === 'add' ? ADD : SIGN_IN;
    const button = part.querySelector('button');
    const problem = part.querySelector('[role=alert]');
    part.hidden = false;
    const press = async () => {
      problem.textContent = '';
      button.disabled = true;
      try {
        await perform(ceremony, part.querySelector('input')?.value.trim());
        location.assign(part.dataset.next);
      } catch (error) {
        // The reader closed the dialogue of the browser: nothing went wrong.
        if (error.name !== 'NotAllowedError' && error.name !== 'AbortError')
          problem.textContent =
            error.name === 'Error' && error.message !== '' ? error.message : ceremony.failed;
        button.disabled = false;
      }
    };
    button.addEventListener('click', () => void press());
  }
})();
