<?php

// Runs samples for a test: reads the path of a program a line, and prints what it printed and how it ended.

while (($line = fgets(STDIN)) !== false) {
    $code = null;
    ob_start();
    try {
        (static function (string $path): void {
            require $path;
        })(trim($line));
    } catch (Throwable $error) {
        $code = is_string($error->getCode()) ? $error->getCode() : (string) $error;
    }
    echo json_encode(['printed' => ob_get_clean(), 'code' => $code]), "\n";
}
