import type { SecurityTexts } from './en-security.ts';

export const texts: SecurityTexts = {
  security: {
    overview: {
      title: 'Qué protege su cuenta',
      password: 'Contraseña',
      app: 'Aplicación de autenticación',
      passkeys: 'Llaves de acceso',
      codes: 'Códigos de recuperación',
      on: 'Activada',
      off: 'Desactivada',
      left: (left) => (left === 1 ? 'Queda 1' : `Quedan ${left}`),
      nextPassword:
        'Siguiente paso: establezca una contraseña. Así también podrá iniciar sesión sin su proveedor.',
      atOrganization: 'Inicia sesión en su organización, que protege su cuenta.',
      nextApp:
        'Siguiente paso: configure una aplicación de autenticación. Así nadie entrará solo con su contraseña.',
      nextCodes: (left) =>
        `Siguiente paso: cree códigos de recuperación nuevos. ${left === 0 ? 'No queda ninguno' : left === 1 ? 'Solo queda uno' : `Solo quedan ${left}`}, y sin ellos no podrá entrar si pierde el dispositivo.`,
      done: 'Su cuenta está bien protegida. No tiene que hacer nada.',
    },
    password: {
      change: 'Cambiar la contraseña',
      setFirst: 'Establecer una contraseña',
      hint: 'Elija una que no use en ningún otro sitio.',
      explanation: 'Se cerrará la sesión en sus demás dispositivos. Aquí seguirá abierta.',
      changed: 'Su contraseña ha cambiado y se ha cerrado la sesión en sus demás dispositivos.',
      wasSet: 'Su contraseña está establecida y se ha cerrado la sesión en sus demás dispositivos.',
      notAllowed: 'Su organización pide que se inicie sesión en ella, sin contraseña.',
    },
    email: {
      change: 'Cambiar el correo electrónico',
      explanation:
        'Enviaremos un código a la nueva dirección. Cuando lo introduzca, se cerrará la sesión en sus demás dispositivos. Durante tres días, podrá deshacer el cambio desde la dirección anterior.',
      newAddress: 'Nueva dirección',
      sendCode: 'Enviar el código',
      changed: 'Su dirección ha cambiado.',
    },
    passkeys: {
      title: 'Llaves de acceso',
      hint: 'Inicie sesión con su huella, su cara o el bloqueo de su dispositivo, sin contraseña. Nadie puede adivinar una llave de acceso ni quitársela con engaños.',
      unsupported: 'Este navegador no puede crear aquí una llave de acceso.',
      families: {
        synced: 'En todos sus dispositivos',
        security_key: 'Llave de seguridad',
        device: 'En un dispositivo',
      },
      added: (date) => `Añadida el ${date}`,
      used: (ago) => `Último uso: ${ago}`,
      unused: 'Aún sin usar',
      add: 'Añadir una llave de acceso',
      addExplanation:
        'Su navegador le preguntará dónde guardar la llave de acceso: en este dispositivo, en su teléfono o en una llave de seguridad.',
      create: 'Crear la llave de acceso',
      done: 'La llave de acceso se ha añadido. Ya puede iniciar sesión con ella.',
      name: 'Nombre',
      nameHint: 'Por ejemplo, Teléfono o Portátil del trabajo.',
      rename: 'Renombrar',
      renameOf: (name) => `Renombrar ${name}`,
      renamed: 'El nombre se ha guardado.',
      remove: 'Quitar',
      removeOf: (name) => `Quitar ${name}`,
      removeQuestion: '¿Quitar esta llave de acceso?',
      removeExplanation: (name) =>
        `${name} dejará de servir para iniciar sesión. Elimínela también de su dispositivo o gestor de contraseñas.`,
      removeAction: 'Quitar la llave de acceso',
      removed: 'La llave de acceso se ha quitado.',
    },
    links: {
      title: 'Proveedores de acceso',
      hint: 'Inicie sesión con una cuenta que tenga en otro sitio.',
      used: (ago) => `Último uso: ${ago}`,
      linked: 'Vinculado',
      notLinked: 'Sin vincular',
      link: 'Vincular',
      linkOf: (provider) => `Vincular ${provider}`,
      done: (provider) => `${provider} está vinculado. Ya puede iniciar sesión con él.`,
      unlink: 'Desvincular',
      unlinkOf: (provider) => `Desvincular ${provider}`,
      unlinkQuestion: (provider) => `¿Desvincular ${provider}?`,
      unlinkExplanation: (provider) =>
        `${provider} dejará de servir para iniciar sesión y se cerrará la sesión en sus demás dispositivos.`,
      unlinked: (provider) => `${provider} ya no está vinculado.`,
    },
    app: {
      title: 'Aplicación de autenticación',
      hint: 'Una aplicación de su teléfono muestra un código nuevo cada 30 segundos. Para iniciar sesión necesitará entonces su contraseña y un código.',
      since: (date, left) =>
        `Configurada el ${date}. ${left === 1 ? 'Queda 1 código' : `Quedan ${left} códigos`} de recuperación.`,
      resetAt: (date) =>
        `Se ha pedido al equipo de soporte que quite su aplicación de autenticación el ${date}. ¿No ha sido usted? Inicie sesión antes con un código de la aplicación y no ocurrirá nada.`,
      setUp: 'Configurar una aplicación',
      scan: 'Escanee este código con su aplicación de autenticación.',
      qr: 'Código QR para la aplicación de autenticación',
      byHand: 'Escribir la clave a mano',
      key: 'Clave',
      enterCode: 'Después, introduzca el código que muestra la aplicación.',
      confirm: 'Activar',
      remove: 'Quitar la aplicación',
      removed: 'La aplicación de autenticación se ha quitado.',
      removeQuestion: '¿Quitar la aplicación de autenticación?',
      removeExplanation:
        'Después bastará su contraseña para iniciar sesión. También dejarán de servir los códigos de recuperación.',
      newCodes: 'Códigos de recuperación nuevos',
      replaceQuestion: '¿Crear códigos de recuperación nuevos?',
      replaceExplanation: 'Los códigos que ha guardado dejarán de servir.',
      keepCodes: 'Guarde estos códigos de recuperación',
      keepExplanation:
        'Con cada uno puede iniciar sesión una vez si pierde su dispositivo. Solo se muestran ahora: imprímalos o guárdelos en un gestor de contraseñas.',
      download: 'Descargar',
      kept: 'Los he guardado',
    },
  },
  ownData: {
    title: 'Descargar sus datos',
    hint: 'Un archivo con su perfil, dispositivos, organizaciones, chatbots, webhooks y actividad, sin contraseñas ni secretos. Tres veces al día.',
    action: 'Descargar los datos',
    downloaded: 'Sus datos se han descargado.',
  },
  deletion: {
    title: 'Eliminar su cuenta',
    hint: 'Su cuenta se elimina al cabo de 14 días. Hasta entonces puede iniciar sesión para conservarla.',
    action: 'Eliminar la cuenta',
    question: '¿Eliminar su cuenta?',
    explanation:
      'Se cerrará ahora la sesión en todos sus dispositivos. Al cabo de 14 días se eliminará su cuenta con sus chatbots y webhooks, y nadie podrá recuperarla. Inicie sesión antes para conservarla.',
    soleOwner: (names) =>
      `Usted es el único propietario de ${names}. Primero transfiera la propiedad o cierre la organización.`,
  },
  identity: {
    title: '¿Es usted?',
    withPassword: 'Introduzca su contraseña para continuar. La pedimos antes de los cambios importantes.',
    withCode:
      'Introduzca el código que muestra su aplicación de autenticación. Lo pedimos antes de los cambios importantes.',
    atProvider: 'Inicie sesión de nuevo para continuar. Después, empiece aquí otra vez.',
    withPasskey: 'Use una llave de acceso para continuar. La pedimos antes de los cambios importantes.',
    again: (provider) => `Iniciar sesión de nuevo en ${provider}`,
    submit: 'Continuar',
    cancelled: 'No se ha cambiado nada.',
    support: 'En una sesión de soporte no se puede cambiar esto.',
  },
};
