import type { MailTexts } from '../mails.ts';

const WARNINGS = {
  none: 'Si no lo ha solicitado, ignore este correo.',
  repeatedSignup: `Con esta dirección se ha creado una cuenta más de una vez. Este código sustituye a los anteriores.

Introdúzcalo solo si el último registro fue suyo. Si no, otra persona está usando su dirección: ignore este correo. Para crear su cuenta, regístrese usted e introduzca el código que reciba entonces.`,
  notVerified: `La cuenta de esta dirección aún no está verificada. Al verificarla con este código se activa el último registro.

Hágalo solo si el último registro fue suyo. Si no, otra persona está usando su dirección: regístrese usted e introduzca el código que reciba entonces. Si no ha solicitado este código, ignore este correo.`,
  signUpAgain: `Con esta dirección se ha creado una cuenta más de una vez, así que este código no crea ninguna cuenta por sí solo.

Para crear su cuenta, regístrese de nuevo e introduzca el código que reciba entonces. Si aún tiene abierta la página en la que se registró y solicitó este código, puede introducirlo allí. Si no lo ha solicitado, ignore este correo.`,
};

const UNTIL_THEN = 'Hasta que acepte, nadie de allí sabrá nada de usted.';
const UNEXPECTED = 'Si no sabe quién le invita, ignore este correo.';

/** The consequences for the account of a person whom a provider has deleted. */
const DELETED = {
  disabled:
    'La cuenta está desactivada y sus sesiones han terminado. La cuenta, sus membresías y sus chatbots se conservan: decida qué hacer con ellos.',
  foreign:
    'La dirección no pertenece a ningún dominio que la organización haya verificado, así que la cuenta sigue activa. Ya no puede iniciar sesión con este proveedor; decida si sus membresías terminan.',
  kept: 'Las sesiones que empezaron en este proveedor han terminado. La cuenta, sus membresías y sus chatbots se conservan, y también su contraseña, si tiene una: decida qué hacer con ellos.',
};

const WEBHOOK_REASONS = {
  gone: 'El receptor ha respondido 410 Gone, con lo que pide no recibir nada más.',
  failing: 'Desde hace tres días ha fallado cada intento de entrega.',
};

const dayOf = (date: Date): string => date.toLocaleDateString('es', { dateStyle: 'long', timeZone: 'UTC' });
const timeOf = (date: Date): string => `${dayOf(date)}, ${date.toISOString().slice(11, 16)} UTC`;

/** For a change that only the person, or whoever can sign in as them, can make. */
const secure = (url: string, after = 'Con ello terminan todas las sesiones.') => ({
  text: 'Si ha sido usted, no tiene que hacer nada. Si no, otra persona puede usar su cuenta. Elija de inmediato una contraseña nueva:',
  url,
  after,
});

const NO_CODE =
  'Con ello terminan todas las sesiones. Si después se le pide un código que no tiene, avise al operador de este servicio.';

const REMOVE_PASSKEY =
  'Con ello terminan todas las sesiones. Después, quite la llave de acceso en los ajustes de seguridad de su perfil: una contraseña nueva no la quita.';

export const es: MailTexts = {
  code: ({ otp, validity, warning }) => ({
    subject: 'Su código',
    content: [
      { text: 'Su código es', code: otp },
      `Es válido durante ${validity} segundos. ${WARNINGS[warning]}`,
    ],
  }),

  addressCode: ({ code, minutes }) => ({
    subject: 'Confirme su nueva dirección de correo',
    content: [
      { text: 'Su código es', code },
      `Es válido durante ${minutes} minutos. Con él, esta dirección pasa a ser la de su cuenta. Si no lo ha solicitado, ignore este correo: no cambia nada.`,
    ],
  }),

  addressTaken: ({ login }) => ({
    subject: 'Esta dirección tiene una cuenta',
    content: [
      'Alguien ha pedido usar esta dirección para otra cuenta. Esta dirección ya tiene una cuenta propia, así que no cambia nada.',
      {
        text: 'Si ha sido usted, inicie sesión con esta dirección o elija otra para la otra cuenta:',
        url: login,
        after: 'Si no, ignore este correo.',
      },
    ],
  }),

  loginCode: ({ code, minutes }, url) => ({
    subject: 'Su código para iniciar sesión',
    content: [
      { text: 'Su código es', code },
      {
        text: `Es válido durante ${minutes} minutos y sirve para iniciar sesión una vez. También puede abrir esta página, en cualquier dispositivo, y pulsar su botón:`,
        url,
        after:
          'No dé nunca el código ni el enlace a nadie: quien los tenga puede iniciar sesión en su nombre. Si no lo ha solicitado, ignore este correo.',
      },
    ],
  }),

  invitation: ({ organization, department, url, hasAccount }) => ({
    subject: 'Tiene una invitación a un equipo',
    content: [
      `Tiene una invitación a «${department}» de «${organization}».`,
      hasAccount
        ? { text: 'Inicie sesión para aceptarla o rechazarla:', url, after: `${UNTIL_THEN} ${UNEXPECTED}` }
        : {
            text: 'Regístrese con esta dirección:',
            url,
            after: `Será miembro cuando verifique su dirección. ${UNEXPECTED}`,
          },
    ],
  }),

  offer: ({ organization, url, transfer }) => ({
    subject: 'Le ofrecen una organización',
    content: [
      transfer
        ? `Un propietario de «${organization}» quiere transferirle la propiedad.`
        : `Le invitan a ser propietario de «${organization}».`,
      { text: 'Inicie sesión para aceptar o rechazar:', url, after: `${UNTIL_THEN} ${UNEXPECTED}` },
    ],
  }),

  deprovisioned: ({ organization, email, account }) => ({
    subject: 'Se ha eliminado una cuenta en el proveedor',
    content: [`El proveedor de identidad de «${organization}» ha eliminado ${email}.`, DELETED[account]],
  }),

  certificate: ({ organization, connection, expires, hasSuccessor }) => ({
    subject: 'Un certificado de su proveedor de identidad caduca',
    content: [
      `Un certificado con el que el proveedor de identidad de «${organization}» firma los inicios de sesión de la conexión «${connection}» caduca el ${dayOf(expires)}.`,
      hasSuccessor
        ? 'La conexión tiene otro certificado válido durante más tiempo. Asegúrese de que el proveedor firme con él antes de ese día.'
        : 'Sustitúyalo en el proveedor e importe el certificado nuevo en la conexión antes de que el proveedor firme con él. Una conexión con una dirección de metadatos toma de allí los certificados nuevos cada día.',
    ],
  }),

  webhook: ({ webhook_id, host, shared, reason }, pages) => ({
    subject: 'Se ha desactivado un webhook',
    content: [
      `${shared ? 'El webhook de su organización' : 'Su webhook'} a ${host} se ha desactivado. ${WEBHOOK_REASONS[reason]}`,
      'No recibe eventos nuevos. Las entregas pendientes se conservan por ahora.',
      {
        text: 'Cuando el receptor vuelva a funcionar, active el webhook:',
        url: pages.webhook(webhook_id),
        after: 'Entonces se enviarán las entregas pendientes.',
      },
    ],
  }),

  payment: ({ organization, department, endsAt }) => ({
    subject: 'Un pago ha fallado',
    content: [
      `El pago del plan Enterprise de «${department}» de «${organization}» ha fallado.`,
      `El inicio de sesión único sigue disponible hasta el ${dayOf(endsAt)}. Si hasta entonces no se realiza ningún pago, termina: cada persona iniciará sesión con su contraseña, y quien no tenga una la establecerá restableciéndola.`,
    ],
  }),

  notices: {
    password_changed: (_, { forgotPassword }) => ({
      subject: 'Su contraseña ha cambiado',
      happened: 'Se ha cambiado la contraseña de su cuenta. Sus demás sesiones han terminado.',
      otherwise: secure(forgotPassword),
    }),
    password_set: (_, { forgotPassword }) => ({
      subject: 'Su cuenta tiene una contraseña',
      happened:
        'Se ha establecido una contraseña para su cuenta, que no tenía ninguna. Ya puede iniciar sesión con ella.',
      otherwise: secure(forgotPassword),
    }),
    password_reset: (_, { forgotPassword }) => ({
      subject: 'Su contraseña se ha restablecido',
      happened:
        'Se ha establecido una contraseña nueva para su cuenta, con un código enviado a esta dirección. Todas las sesiones anteriores han terminado.',
      otherwise: {
        text: 'Si ha sido usted, no tiene que hacer nada. Si no, otra persona puede leer su correo. Proteja primero su buzón y después elija una contraseña nueva:',
        url: forgotPassword,
      },
    }),
    email_change_requested: ({ email }, { forgotPassword }) => ({
      subject: 'Se ha solicitado una nueva dirección de correo para su cuenta',
      happened: `Alguien ha pedido cambiar la dirección de correo de su cuenta a ${email}. No cambia nada hasta que se introduzca el código enviado a esa dirección.`,
      otherwise: secure(forgotPassword),
    }),
    email_changed: ({ email, undo }, { undoEmail }) => ({
      subject: 'La dirección de correo de su cuenta ha cambiado',
      happened: `La dirección de correo de su cuenta es ahora ${email}. Con ella inicia sesión y allí recibe los correos.`,
      otherwise: {
        text: 'Si ha sido usted, no tiene que hacer nada. Si no, deshaga el cambio en un plazo de tres días:',
        url: undoEmail(undo),
        after:
          'Así se restablece la dirección de este buzón y terminan todas las sesiones. La contraseña deja de ser válida y usted elige una nueva.',
      },
    }),
    email_change_undone: (_, { forgotPassword }) => ({
      subject: 'La dirección de correo de su cuenta se ha restablecido',
      happened:
        'Se ha deshecho el cambio de la dirección de correo de su cuenta. La cuenta vuelve a tener esta dirección y todas las sesiones han terminado.',
      otherwise: {
        text: 'Quien cambió la dirección había iniciado sesión en su cuenta. Elija una contraseña nueva:',
        url: forgotPassword,
      },
    }),
    email_changed_by_provider: ({ email }) => ({
      subject: 'La dirección de correo de su cuenta ha cambiado',
      happened: `Su organización ha cambiado la dirección de correo de su cuenta a ${email}. Con ella inicia sesión y allí recibe los correos.`,
      otherwise: 'Si no lo esperaba, pregunte a los administradores de su organización.',
    }),
    totp_enabled: (_, { forgotPassword }) => ({
      subject: 'Una aplicación de autenticación protege su cuenta',
      happened:
        'A partir de ahora, para iniciar sesión en su cuenta también se necesita un código de una aplicación de autenticación.',
      otherwise: secure(forgotPassword, NO_CODE),
    }),
    totp_disabled: (_, { forgotPassword }) => ({
      subject: 'Su cuenta ya no pide códigos',
      happened:
        'Se ha quitado la aplicación de autenticación de su cuenta. Basta la contraseña para iniciar sesión.',
      otherwise: secure(forgotPassword),
    }),
    link_added: ({ provider }, { forgotPassword }) => ({
      subject: 'Su cuenta tiene una nueva forma de iniciar sesión',
      happened: `Se ha vinculado una cuenta de ${provider} a su cuenta. A partir de ahora, sirve para iniciar sesión en ella.`,
      otherwise: secure(
        forgotPassword,
        'Con ello terminan todas las sesiones. Después, quite el vínculo en su perfil.',
      ),
    }),
    link_removed: ({ provider }, { forgotPassword }) => ({
      subject: 'Su cuenta tiene una forma menos de iniciar sesión',
      happened: `Se ha quitado el vínculo con una cuenta de ${provider}. Ya no sirve para iniciar sesión en su cuenta, y sus demás sesiones han terminado.`,
      otherwise: secure(forgotPassword),
    }),
    recovery_codes_replaced: (_, { forgotPassword }) => ({
      subject: 'Su cuenta tiene códigos de recuperación nuevos',
      happened: 'Se han creado códigos de recuperación nuevos para su cuenta. Los anteriores ya no sirven.',
      otherwise: secure(forgotPassword, NO_CODE),
    }),
    recovery_code_used: ({ left }, { forgotPassword }) => ({
      subject: 'Se ha usado un código de recuperación de su cuenta',
      happened: `Alguien ha usado un código de recuperación en lugar de su segundo factor. ${left === 1 ? 'Queda un código' : `Quedan ${left} códigos`}.`,
      otherwise: secure(forgotPassword),
    }),
    factor_codes_wrong: (_, { forgotPassword }) => ({
      subject: 'Alguien conoce la contraseña de su cuenta',
      happened:
        'Tras la contraseña correcta se han introducido cinco códigos incorrectos de su segundo factor. Ningún inicio de sesión ha tenido éxito con ellos.',
      otherwise: secure(forgotPassword),
    }),
    factor_reset_requested: ({ effective_at }, { forgotPassword }) => ({
      subject: 'Se va a quitar el segundo factor de su cuenta',
      happened: `Un operador de este servicio va a quitar el segundo factor de su cuenta. Termina el ${timeOf(effective_at)}. Después bastará la contraseña para iniciar sesión.`,
      otherwise: {
        text: 'Si no lo ha pedido, inicie sesión con un código antes de esa fecha: así se conserva el segundo factor. Elija además una contraseña nueva:',
        url: forgotPassword,
      },
    }),
    support_session: ({ mode, until, reason }) => ({
      subject: 'Un operador ha abierto su cuenta',
      happened: `Un operador de este servicio ha abierto su cuenta ${mode === 'read' ? 'para verla, sin cambiar nada' : 'para actuar en ella por usted'}, hasta el ${timeOf(until)}. Motivo indicado: ${reason}`,
      otherwise:
        'Puede terminarlo en cualquier momento: inicie sesión y termine la sesión de soporte en «Dispositivos», en su perfil. En «Actividad» consta quién fue y qué hizo.',
    }),
    passkey_added: (_, { forgotPassword }) => ({
      subject: 'Su cuenta tiene una nueva llave de acceso',
      happened:
        'Se ha añadido una llave de acceso a su cuenta. Basta con ella para iniciar sesión, sin contraseña ni código.',
      otherwise: secure(forgotPassword, REMOVE_PASSKEY),
    }),
    passkey_removed: (_, { forgotPassword }) => ({
      subject: 'Se ha quitado una llave de acceso de su cuenta',
      happened: 'Se ha quitado una llave de acceso de su cuenta. Ya no sirve para iniciar sesión.',
      otherwise: secure(forgotPassword),
    }),
    key_created: (_, { forgotPassword, keys }) => ({
      subject: 'Su cuenta tiene una nueva clave',
      happened:
        'Se ha creado una clave para máquinas en su cuenta. Quien la tenga puede usar su cuenta sin iniciar sesión.',
      otherwise: secure(forgotPassword),
      then: {
        text: 'Una contraseña nueva no anula la clave. Elimínela después en «Desarrolladores», en su perfil:',
        url: keys,
      },
    }),
    deletion_requested: ({ deletes_at }, { login }) => ({
      subject: 'Su cuenta se va a eliminar',
      happened: `Su cuenta, y lo que solo le pertenece a ella, se eliminará el ${timeOf(deletes_at)}.`,
      otherwise: {
        text: 'Para conservar la cuenta, inicie sesión antes de esa fecha:',
        url: login,
        after: 'Si no ha pedido la eliminación, elija además una contraseña nueva.',
      },
    }),
    deletion_cancelled: (_, { forgotPassword }) => ({
      subject: 'Su cuenta no se va a eliminar',
      happened: 'Se ha cancelado la eliminación de su cuenta. La cuenta sigue como estaba.',
      otherwise: secure(forgotPassword),
    }),
    deletion_kept: ({ places }, { login }) => ({
      subject: 'Su cuenta no se ha eliminado',
      happened: `Ya debería eliminarse su cuenta, pero nadie más puede dirigir: ${places.join(', ')}. Se eliminará cuando otra persona sea su propietaria o cuando se archiven.`,
      otherwise: {
        text: 'Para transferirlos o archivarlos, o para conservar la cuenta, inicie sesión:',
        url: login,
        after: 'Al iniciar sesión se cancela la eliminación; vuelva a pedirla después.',
      },
    }),
    changed_by_operator: ({ change }, { forgotPassword }) => ({
      ...{
        disabled: {
          subject: 'Su cuenta se ha desactivado',
          happened:
            'Un operador de este servicio ha desactivado su cuenta. Nadie puede iniciar sesión en ella.',
        },
        enabled: {
          subject: 'Su cuenta se ha activado',
          happened: 'Un operador de este servicio ha activado su cuenta. Ya puede iniciar sesión de nuevo.',
        },
        verified: {
          subject: 'Su dirección de correo se ha verificado',
          happened: 'Un operador de este servicio ha verificado la dirección de correo de su cuenta.',
        },
        sessions_ended: {
          subject: 'Se ha cerrado su sesión en todos los dispositivos',
          happened:
            'Un operador de este servicio ha terminado todas las sesiones de su cuenta. Inicie sesión de nuevo.',
        },
        plan: {
          subject: 'El plan de su cuenta ha cambiado',
          happened: 'Un operador de este servicio ha cambiado el plan de su cuenta.',
        },
      }[change],
      otherwise: secure(forgotPassword),
    }),
    data_downloaded: (_, { forgotPassword }) => ({
      subject: 'Se han descargado los datos de su cuenta',
      happened:
        'Alguien con una sesión en su cuenta ha descargado todo lo que contiene: su perfil, dispositivos, organizaciones y actividad.',
      otherwise: secure(forgotPassword),
    }),
    new_sign_in: (_, { forgotPassword }) => ({
      subject: 'Un nuevo inicio de sesión en su cuenta',
      happened:
        'Alguien ha iniciado sesión en su cuenta desde un dispositivo y una red que no se habían usado en los últimos 90 días.',
      otherwise: secure(forgotPassword),
    }),
  },

  circumstances: {
    time: 'Hora',
    timeOf,
    device: 'Dispositivo',
    deviceOf: (browser, os) => `${browser} en ${os}`,
    address: 'Dirección de red',
    unknown: 'desconocido',
  },
};
