<?php

// Runs tasks of the tests with the PHP client: reads them as JSON, and prints what each came to as JSON.

require getenv('ATUMPAN_PHP') . '/autoload.php';

use Atumpan\Atumpan;
use Atumpan\AtumpanError;
use Atumpan\Page;
use Atumpan\TransportError;
use Atumpan\Webhooks;
use Atumpan\WebhookVerificationError;

function run(array $task): array
{
    $warned = [];
    try {
        if (isset($task['verify'])) {
            ['body' => $body, 'headers' => $headers, 'secret' => $secret] = $task['verify'];
            return ['data' => Webhooks::verify($body, $headers, $secret, $task['verify']['toleranceSeconds'] ?? 300)];
        }
        $onWarning = static function (array $warnings, string $path) use (&$warned): void {
            $warned[] = ['warnings' => $warnings, 'path' => $path];
        };
        $at = new Atumpan([...$task['options'], 'onWarning' => $onWarning]);
        $parts = explode('.', $task['operation']);
        $last = array_pop($parts);
        foreach ($parts as $part) {
            $at = $at->$part;
        }
        $answer = $at->$last($task['argument'] ?? []);
        if ($task['rows'] ?? false) {
            return ['data' => iterator_to_array($answer)];
        }
        if ($answer instanceof Page) {
            $page = [];
            foreach (['data', 'totalCount', 'count', 'page', 'totalPage'] as $name) {
                $page[$name] = $answer->$name;
            }
            $answer = $page;
        }
        return ['data' => $answer, 'warned' => $warned];
    } catch (AtumpanError $error) {
        $refused = ['code' => $error->getCode()];
        foreach (['path', 'outcome', 'details', 'warnings', 'retryAfterSeconds', 'errorId', 'requestId'] as $name) {
            $refused[$name] = $error->$name;
        }
        return ['refused' => $refused];
    } catch (TransportError $error) {
        $trouble = [];
        foreach (['kind', 'path', 'neverSent', 'status'] as $name) {
            $trouble[$name] = $error->$name;
        }
        return ['trouble' => $trouble];
    } catch (WebhookVerificationError) {
        return ['unverified' => true];
    } catch (Throwable $error) {
        return ['failed' => (string) $error];
    }
}

echo json_encode(array_map('run', json_decode(stream_get_contents(STDIN), true)), JSON_THROW_ON_ERROR);
