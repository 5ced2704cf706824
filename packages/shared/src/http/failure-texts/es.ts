import type { FailureTexts } from './texts.ts';

export const es: FailureTexts = {
  kinds: {
    login: {
      title: 'Error al iniciar sesión',
      heading: 'No ha iniciado sesión',
      way: 'Volver al inicio de sesión',
    },
    link: { title: 'No vinculada', heading: 'No se ha vinculado nada', way: 'Ir a su cuenta' },
    logout: {
      title: 'Error al cerrar sesión',
      heading: 'Es posible que su sesión siga abierta',
      way: 'Ir a su cuenta',
    },
    address: { title: 'No encontrada', heading: 'Esta página no existe', way: 'Ir a la página de inicio' },
  },
  forAdministrator: 'Para su administrador: solicitud',
  loggedOut: {
    title: 'Sesión cerrada',
    heading: 'Su sesión está cerrada',
    text: 'Su proveedor de identidad ha terminado su sesión aquí.',
    way: 'Volver al inicio de sesión',
  },
  address: 'Revise la dirección o empiece en la página de inicio.',
  messages: {
    'Too many requests': 'Demasiadas solicitudes. Inténtelo de nuevo en un minuto.',
    'Service unavailable': 'El servicio no está disponible. Inténtelo de nuevo en unos minutos.',
    'Internal server error': 'Algo no funciona por nuestra parte. Inténtelo de nuevo en unos instantes.',
    'There is no such single sign-on. Check the address or ask your administrator.':
      'Este inicio de sesión único no existe. Revise la dirección o pregunte a su administrador.',
    'This single sign-on is switched off. Ask your administrator.':
      'Este inicio de sesión único está desactivado. Pregunte a su administrador.',
    'The plan of your organization does not include single sign-on. Ask your administrator.':
      'El plan de su organización no incluye el inicio de sesión único. Pregunte a su administrador.',
    'This login was not begun in this browser, or it took too long. Please begin again.':
      'Este inicio de sesión no empezó en este navegador o ha tardado demasiado. Empiece de nuevo.',
    'This login began at your identity provider, which is not allowed here. Begin on the sign-in page, or ask your administrator.':
      'Este inicio de sesión empezó en su proveedor de identidad, lo que aquí no está permitido. Empiece en la página de inicio de sesión o pregunte a su administrador.',
    'Your identity provider sent an answer that could not be read. Please begin again.':
      'No se ha podido leer la respuesta de su proveedor de identidad. Empiece de nuevo.',
    'The answer of your identity provider was not accepted. Please begin again; if it happens again, tell your administrator.':
      'No se ha aceptado la respuesta de su proveedor de identidad. Empiece de nuevo; si vuelve a ocurrir, avise a su administrador.',
    'The logout that your identity provider asked for was not accepted. Log out here as well, and tell your administrator.':
      'No se ha aceptado el cierre de sesión que pidió su proveedor de identidad. Cierre la sesión también aquí y avise a su administrador.',
    'This answer of your identity provider has been used already. Please begin again.':
      'Esta respuesta de su proveedor de identidad ya se ha usado. Empiece de nuevo.',
    'Your identity provider refused the login. Ask your administrator.':
      'Su proveedor de identidad ha rechazado el inicio de sesión. Pregunte a su administrador.',
    'Your identity provider could not be reached. Please try again in a few minutes.':
      'No se ha podido conectar con su proveedor de identidad. Inténtelo de nuevo en unos minutos.',
    'Your identity provider sent no e-mail address. Ask your administrator.':
      'Su proveedor de identidad no ha enviado ninguna dirección de correo. Pregunte a su administrador.',
    'Your organization has not verified the domain of your e-mail address. Ask your administrator.':
      'Su organización no ha verificado el dominio de su dirección de correo. Pregunte a su administrador.',
    'Your identity provider sent a role that it may not give. Ask your administrator.':
      'Su proveedor de identidad ha enviado un rol que no puede asignar. Pregunte a su administrador.',
    'Your account is disabled. Ask your administrator.':
      'Su cuenta está desactivada. Pregunte a su administrador.',
    'Your account belongs to another identity at your provider. Ask your administrator.':
      'Su cuenta pertenece a otra identidad de su proveedor. Pregunte a su administrador.',
    'Your organization requires single sign-on. Please log in through your identity provider.':
      'Su organización exige el inicio de sesión único. Inicie sesión a través de su proveedor de identidad.',
    'There is no such way to sign in. Begin on the sign-in page.':
      'Esta forma de iniciar sesión no existe. Empiece en la página de inicio de sesión.',
    'The provider sent an answer that could not be read. Please begin again.':
      'No se ha podido leer la respuesta del proveedor. Empiece de nuevo.',
    'The answer of the provider was not accepted. Please begin again, or sign in another way.':
      'No se ha aceptado la respuesta del proveedor. Empiece de nuevo o inicie sesión de otra forma.',
    'The provider did not sign you in, or you cancelled. Please begin again, or sign in another way.':
      'El proveedor no ha iniciado su sesión o usted la ha cancelado. Empiece de nuevo o inicie sesión de otra forma.',
    'The provider could not be reached. Please try again in a few minutes, or sign in another way.':
      'No se ha podido conectar con el proveedor. Inténtelo de nuevo en unos minutos o inicie sesión de otra forma.',
    'The provider sent no e-mail address. Sign in another way or sign up first, and then link this account in your profile.':
      'El proveedor no ha enviado ninguna dirección de correo. Primero inicie sesión de otra forma o regístrese, y después vincule esta cuenta en su perfil.',
    'The provider does not vouch for your e-mail address. Sign in another way or sign up first, and then link this account in your profile.':
      'El proveedor no garantiza su dirección de correo. Primero inicie sesión de otra forma o regístrese, y después vincule esta cuenta en su perfil.',
    'This account is disabled. Contact the operator of this service.':
      'Esta cuenta está desactivada. Póngase en contacto con el operador de este servicio.',
    'The account with your e-mail address is linked to another account of this provider. Sign in with that one, or sign in another way and link this one in your profile.':
      'La cuenta con su dirección de correo está vinculada a otra cuenta de este proveedor. Inicie sesión con esa, o inicie sesión de otra forma y vincule esta en su perfil.',
    'This account of the provider is linked to another account here.':
      'Esta cuenta del proveedor está vinculada aquí a otra cuenta.',
    'Your account has as many links as it can have. Remove one first.':
      'Su cuenta ya tiene todos los vínculos que puede tener. Primero quite uno.',
  },
  unknown: 'No ha funcionado. Empiece de nuevo o pregunte a su administrador.',
};
