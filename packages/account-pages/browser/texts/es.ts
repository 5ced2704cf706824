import type { Texts } from './en.ts';

export const texts: Texts = {
  titles: {
    'sign-in': 'Iniciar sesión',
    'sign-up': 'Crear una cuenta',
    code: 'Introduzca su código',
    forgot: 'Restablecer la contraseña',
    reset: 'Elegir una contraseña nueva',
    profile: 'Su perfil',
    chatbots: 'Chatbots',
    organization: 'Organización',
    webhooks: 'Webhooks',
    sso: 'Inicio de sesión único',
    invitation: 'Invitación a un equipo',
    'undo-email': 'Deshacer el cambio de su dirección',
    'code-login': 'Iniciar sesión con un código',
    support: 'Sesión de soporte',
  },
  fields: {
    email: 'Correo electrónico',
    password: 'Contraseña',
    newPassword: 'Contraseña nueva',
    name: 'Nombre',
    username: 'Nombre de usuario',
    code: 'Código de seis cifras',
    show: 'Mostrar',
    hide: 'Ocultar',
  },
  strength: {
    label: 'Seguridad de la contraseña',
    levels: [
      'Fácil de adivinar. Mejor más larga: varias palabras que no tengan relación entre sí.',
      'Aceptable. Con unos caracteres más será mucho más difícil de adivinar.',
      'Buena.',
      'Muy buena.',
    ],
  },
  factor: {
    explanation: 'Introduzca el código que muestra su aplicación de autenticación.',
    submit: 'Continuar',
    lost: '¿Ha perdido el dispositivo? Use un código de recuperación',
    found: 'Usar el código de la aplicación',
    recoveryCode: 'Código de recuperación',
    recoveryHint:
      'Uno de los diez códigos que guardó al configurar la aplicación. Cada uno sirve una sola vez.',
    noneLeft: 'Sin su dispositivo ni sus códigos de recuperación, solo el equipo de soporte puede ayudarle.',
    startAgain: 'Empezar de nuevo',
    setUp: 'Configurar un segundo factor',
  },
  captcha: {
    label: 'Comprobación de que es una persona',
    failed: 'No se ha podido cargar el CAPTCHA.',
  },
  support: {
    label: 'Sesión de soporte',
    leave: 'Salir',
    end: 'Finalizar',
    read: 'Solo lectura',
    full: 'Puede hacer cambios',
    by: (operator) => `de ${operator}`,
    until: (time) => `hasta ${time}`,
    replaceTitle: '¿Abrir una sesión de soporte?',
    replaces: 'Tiene una sesión iniciada en esta pestaña. Al abrir la sesión de soporte, se cerrará aquí.',
    decline: 'Mantener la sesión',
    open: 'Abrir la sesión de soporte',
    checking: 'Comprobando el enlace de soporte…',
    incomplete: 'Este enlace de soporte está incompleto. Pida otro.',
    invalid: 'Este enlace de soporte ya no es válido. Pida otro.',
    otherAccount: 'Este enlace de soporte no pertenece a la cuenta que indica. No se ha abierto.',
  },
  code: {
    sentTo: 'Hemos enviado un código a',
    submit: 'Continuar',
    validFor: (time) => `El código es válido durante ${time}`,
    expired: 'El código ha caducado',
    dead: 'Este código ya no sirve, porque se ha introducido uno incorrecto cinco veces. Solicite otro.',
    deadShort: 'El código ya no sirve',
    resend: 'Enviar otro código',
    resent: 'Le hemos enviado otro código. El anterior ya no sirve.',
    otherAddress: 'Usar otra dirección',
    nothingPending: 'Aquí no hay ningún código que introducir. Primero inicie sesión o cree una cuenta.',
  },
  navigation: {
    label: 'Principal',
    profile: 'Perfil',
    chatbots: 'Chatbots',
    organization: 'Organización',
    webhooks: 'Webhooks',
    signOut: 'Cerrar sesión',
  },
  table: {
    loading: 'Cargando',
    retry: 'Reintentar',
    pages: 'Páginas',
    previous: 'Anterior',
    next: 'Siguiente',
    position: (page, pages, total) => `Página ${page} de ${pages} (${total} en total)`,
  },
  dialog: { close: 'Cerrar', cancel: 'Cancelar' },
  session: {
    expiresIn: (minutes) =>
      minutes === 1 ? 'Su sesión termina en un minuto.' : `Su sesión termina en ${minutes} minutos.`,
    extend: 'Mantener la sesión',
    ending: 'Cerrando la sesión…',
    mayBeOpen:
      'No hemos podido conectar con el servidor, así que es posible que su sesión siga abierta. Deje abierta esta página: cerrará la sesión en cuanto el servidor responda.',
    ended: {
      'signed out': 'Ha cerrado la sesión.',
      expired: 'Su sesión ha terminado. Inicie sesión de nuevo.',
      left: 'Ha salido de la sesión de soporte.',
      deleted:
        'Su cuenta se va a eliminar. Le hemos enviado la fecha por correo; inicie sesión antes de ese día para conservarla.',
    },
  },
  errors: {
    offline: 'No tiene conexión. Compruébela e inténtelo de nuevo.',
    unreachable: 'El servidor no ha respondido. Inténtelo de nuevo.',
    unavailable: 'Algo no funciona por nuestra parte. Inténtelo de nuevo en unos instantes.',
    unexpected: 'Algo ha salido mal. Inténtelo de nuevo.',
    tooMany: (duration, time) => `Demasiados intentos. Podrá continuar en ${duration}, a las ${time}.`,
    field: () => 'Revise este campo.',
    quotas: {
      departments: (plan, limit) =>
        `El plan ${plan} permite ${limit} departamentos. Elimine uno o elija un plan superior para un departamento.`,
      members: (plan, limit) =>
        `El plan ${plan} permite ${limit} miembros por departamento. Quite a alguien o elija un plan superior.`,
      webhooks: (plan, limit) =>
        `El plan ${plan} permite aquí ${limit} webhooks. Elimine uno o elija un plan superior.`,
    },
    known: {
      'A read-only support session changes nothing':
        'Esta sesión de soporte es de solo lectura. No se ha cambiado nada.',
      'Only the person themselves may do this':
        'Esto no es posible en una sesión de soporte. Solo puede hacerlo la propia persona.',
      'User not found': 'No hay ninguna cuenta con esta dirección.',
      'Email already registered': 'Ya hay una cuenta con esta dirección. Inicie sesión.',
      'Invalid credentials': 'El correo electrónico o la contraseña no son correctos.',
      'Invalid code': 'Este código no es correcto o ya se ha usado. Espere al siguiente.',
      'The passkey was not accepted':
        'No se ha aceptado esta llave de acceso. Es posible que se haya quitado de la cuenta.',
      'The request for a passkey has expired, please try again': 'Ha tardado demasiado. Inténtelo de nuevo.',
      'Nothing else opens the account. Please set a password or add another way to log in first.':
        'Es la única forma de entrar en su cuenta. Primero establezca una contraseña o añada otra forma.',
      'The login has expired, please log in again': 'Ha tardado demasiado. Empiece de nuevo.',
      'Invalid OTP': 'Este código no es correcto. Revise las cifras o solicite otro.',
      'OTP expired': 'Este código ha caducado. Solicite otro.',
      'Invalid or expired OTP':
        'Este código no es correcto o ha caducado. Revise las cifras o solicite otro.',
      Forbidden: 'Su rol no lo permite. Es posible que haya cambiado: vuelva a cargar la página.',
      'Not found': 'Ya no existe, o usted ya no tiene acceso.',
      'Resource already exists': 'Ya hay uno con este nombre. Elija otro.',
      'Already a member': 'Esta persona ya es miembro.',
      'An Owner of the organization is Owner in every department':
        'Esta persona es propietaria de la organización y, por tanto, de todos los departamentos.',
      'The last Owner cannot be removed':
        'Usted es el último propietario. Primero añada otro o transfiera la propiedad.',
      'The last Owner cannot leave: transfer the ownership to somebody else, or archive the organization':
        'Usted es el último propietario. Transfiera la propiedad a otra persona o cierre la organización.',
      'The department is archived': 'El departamento está archivado: no se puede cambiar nada en él.',
      'The organization is archived': 'La organización está cerrada: no se puede cambiar nada en ella.',
      'You are an Owner already': 'Usted ya es propietario.',
      'The user is an Owner already': 'Esta persona ya es propietaria.',
      'An organization has at most 20 pending offers': 'Ya hay 20 ofertas abiertas. Primero retire una.',
      'The invitation was declined': 'La persona ha rechazado la invitación.',
      'The offer was declined': 'La persona ha rechazado la oferta.',
      'An organization has at most 100 Owners': 'Una organización tiene como máximo 100 propietarios.',
      'reCAPTCHA validation failed': 'Confirme que es una persona.',
      'The organization requires a second factor. Please set one up in your profile and try again.':
        'Esta organización exige un segundo factor. Configúrelo en su perfil, en «Acceso y seguridad»; después todo volverá a abrirse.',
      'Your organization requires single sign-on. Please log in through your identity provider.':
        'Su organización exige el inicio de sesión único. Aquí no puede entrar con su contraseña.',
      'Your identity provider could not be reached. Please try again in a few minutes.':
        'No se ha podido conectar con el acceso de su organización. Inténtelo de nuevo en unos minutos.',
      'This login was not begun in this browser, or it took too long. Please begin again.':
        'Este inicio de sesión no empezó en este navegador o ha tardado demasiado. Empiece de nuevo.',
      'The user name or the password is wrong.': 'El nombre de usuario o la contraseña no son correctos.',
    },
  },
};
