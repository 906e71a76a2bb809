<?php

// For projects without Composer: require 'path/to/sdk/php/autoload.php';

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Atumpan\\')) {
        $file = __DIR__ . '/src/' . str_replace('\\', '/', substr($class, 8)) . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});
